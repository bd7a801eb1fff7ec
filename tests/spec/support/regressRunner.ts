/** `hca_regress` with the fake player, as a process that specs kill: `regressRunner.ts <arguments>`. */

import { main } from '../../../bin/hcaRegress.ts';
import { fakeRegistry } from './fakeRun.ts';

const playerUrl = new URL('./fakePlayer.ts', import.meta.url).href;
process.exitCode = await main(process.argv.slice(2), { registry: fakeRegistry(), playerUrl });
