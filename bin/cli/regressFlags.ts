/** The flags of `hca_regress`. */

import type { FlagTable } from './flagTable.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './seconds.ts';

const WHAT = 'What to run:';
const HOW = 'How:';
const OUTPUT = 'Output:';

export const REGRESS_FLAGS = {
  filter: { group: WHAT, type: 'string', describe: 'Only runs whose id or title contains this text' },
  shell: {
    group: WHAT,
    type: 'boolean',
    describe: 'Let your own shell run the script, with hca_test and bsub recorded instead of run',
  },
  seed: {
    group: WHAT,
    type: 'string',
    describe: 'Seed from which those of the runs are derived, or "random" (default 1)',
  },
  reseed: {
    group: WHAT,
    type: 'string',
    alias: 'r',
    describe: 'Seeds per run, instead of the reseed: of the list, or per line of a script that names none',
  },
  jobs: {
    group: HOW,
    type: 'string',
    alias: 'j',
    synonym: 'workers',
    describe: 'Worker processes (default: one per processor)',
  },
  timeout: {
    group: HOW,
    type: 'string',
    describe: `Wall-clock limit of a run in seconds (default ${DEFAULT_TIMEOUT_SECONDS})`,
  },
  'sim-timeout': { group: HOW, type: 'string', describe: 'Simulated-time limit of a run, such as 10ms' },
  'heap-mb': { group: HOW, type: 'string', describe: 'JavaScript heap of a worker in MiB (default 2048)' },
  out: {
    group: OUTPUT,
    type: 'string',
    describe: 'Folder for reports (default out/regress-<list>-<time>-<process id>)',
  },
  keep: { group: OUTPUT, type: 'string', describe: 'Runs that leave records and logs: failures (default), all, none' },
  quiet: { group: OUTPUT, type: 'boolean', alias: 'q', describe: 'Print only the summary' },
  'dry-run': { group: OUTPUT, type: 'boolean', alias: 'n', describe: 'Print the command lines and run nothing' },
  version: { group: OUTPUT, type: 'boolean', describe: 'Version of the harness' },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
