/** Adds regressions to a history, as a process that specs kill: `historyWriter <file> <first seed> <count>`; a dot for each. */

import { writeSync } from 'node:fs';
import { History } from '../../../regress/history/history.ts';
import { summaryOf } from '../../../regress/history/summaryFile.ts';
import { aJob, aPlan, aResult } from './jobs.ts';

const [path = '', first = '0', count = '0'] = process.argv.slice(2);
const history = await History.open(path);
const results = Array.from({ length: 6 }, (_, i) => aResult({ id: `f/${i}` }));
const jobs = results.map(({ id }) => aJob({ id }));
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  history?.add(summaryOf({ plan: aPlan({ jobs, seed }), results, wallMs: 1, exitCode: 0, coverage: undefined }));
  writeSync(1, '.');
}
history?.close();
