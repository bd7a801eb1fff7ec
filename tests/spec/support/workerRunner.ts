/** `hca_regress worker` that plays chunks with another program: `workerRunner <JSON of that program> <arguments>`. */

import { main } from '../../../bin/hcaRegress.ts';
import { fakeRegistry } from './fakeRun.ts';

const [program = '[]', ...argv] = process.argv.slice(2);
process.exitCode = await main(argv, { registry: fakeRegistry(), chunkProgram: JSON.parse(program) as string[] });
