/** The flags of `hca_regress exhaust`. */

import type { FlagTable } from './flagTable.ts';

const WHAT = 'What to play:';
const HOW = 'How:';
const OUTPUT = 'Output:';

/** Frames that a scenario may have when nothing is said. */
export const DEFAULT_MAX_FRAMES = 100;

export const EXHAUST_FLAGS = {
  faults: { group: WHAT, type: 'string', value: 'n', describe: 'Maximum faults per run: 1 or 2 (default 2)' },
  kinds: {
    group: WHAT,
    type: 'string',
    value: 'kinds',
    describe:
      'Kinds of faults, such as drop,duplicate or "delay by=5us; drop" (default drop, duplicate soon and late, delay, reorder, corrupt, truncate)',
  },
  filter: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Only scenarios of the list whose id or title contains this text, or matches a pattern; may be repeated',
  },
  exclude: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Skip these scenarios; may be repeated',
  },
  seed: {
    group: WHAT,
    type: 'string',
    value: 'seed',
    describe: 'Seed of the scenarios (default: those of the list, or 1)',
  },
  'max-frames': {
    group: WHAT,
    type: 'string',
    value: 'n',
    describe: `Maximum number of frames of a scenario without faults (default ${DEFAULT_MAX_FRAMES})`,
  },
  bugs: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    describe:
      'Plant each bug of these names (a pattern, or several separated by commas), and run single faults until the first finding',
  },
  resume: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Continue the search of this folder; replaces the scenario',
  },
  jobs: {
    group: HOW,
    type: 'string',
    value: 'n',
    alias: 'j',
    synonym: 'workers',
    describe: 'Worker processes (default: one per processor)',
  },
  out: {
    group: OUTPUT,
    type: 'string',
    value: 'folder',
    describe: 'Folder for results and fault files (default out/exhaust-<scenario>-<time>-<process id>)',
  },
  quiet: { group: OUTPUT, type: 'boolean', alias: 'q', describe: 'Print only the summary' },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
