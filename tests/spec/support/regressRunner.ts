/** `hca_regress` with the fake player, as a process that specs kill: `regressRunner <worker program> <player> <arguments>`. */

import { main } from '../../../bin/hcaRegress.ts';
import { fakeRegistry } from './fakeRun.ts';

const [workerFile = '', playerUrl = '', ...argv] = process.argv.slice(2);
process.exitCode = await main(argv, { registry: fakeRegistry(), workerFile, playerUrl });
