/** The flags of `hca_regress coverage`. */

import type { FlagTable } from './flagTable.ts';

const WHAT = 'What to look at:';
const SHOW = 'What to show besides groups:';
const OUTPUT = 'Output:';

export const COVERAGE_FLAGS = {
  only: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    describe: 'Only these groups, items or bins, by name or pattern (request_cg, *_cg.service)',
  },
  tests: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    describe: 'Only runs of these tests or of these names in their list, by pattern',
  },
  without: { group: WHAT, type: 'string', value: 'pattern', describe: 'All runs but those' },
  'with-failed': { group: WHAT, type: 'boolean', describe: 'Count runs that have not passed too' },
  exclude: {
    group: WHAT,
    type: 'string',
    value: 'file',
    describe:
      'File of bins that cannot be reached, with reasons (default coverage/plan/unreachable.yaml of the project)',
  },
  items: { group: SHOW, type: 'boolean', describe: 'Coverpoints and crosses' },
  bins: { group: SHOW, type: 'boolean', describe: 'Coverpoints, crosses and their bins' },
  holes: { group: SHOW, type: 'boolean', describe: 'Bins that nothing has hit, with what would' },
  'run-holes': {
    group: SHOW,
    type: 'boolean',
    describe: 'Play what would hit them, with coverage, into the folder holes beside the first source',
  },
  hits: { group: SHOW, type: 'string', value: 'bins', describe: 'Which runs have hit these bins, by name or pattern' },
  rank: {
    group: SHOW,
    type: 'boolean',
    describe: 'The runs that are worth their cost, and how many seeds each test needs',
  },
  cost: {
    group: SHOW,
    type: 'string',
    value: 'unit',
    describe: 'Cost of a run: events (default, of the scheduler) or cpu (time here)',
  },
  against: {
    group: SHOW,
    type: 'string',
    value: 'out',
    describe: 'What is covered here and not in this regression, and the reverse',
  },
  plan: {
    group: SHOW,
    type: 'string',
    value: 'file',
    optionalValue: true,
    // Folders of regressions stand on the same command line.
    valueLike: /\.ya?ml$/i,
    describe: 'Testpoints of the verification plan with what shows them (default coverage/plan/*.yaml of the project)',
  },
  trend: {
    group: SHOW,
    type: 'boolean',
    describe: 'The folders one after another, as they stand on the command line: what each has gained and lost',
  },
  top: { group: SHOW, type: 'string', value: 'n', describe: 'Rows of lists (default 30)' },
  format: { group: OUTPUT, type: 'string', value: 'format', describe: 'text (default), md or json' },
  html: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write a page for a browser to this file' },
  growth: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Draw how coverage grew, run by run and over processor time, a curve a folder, into this SVG file',
  },
  'growth-csv': { group: OUTPUT, type: 'string', value: 'file', describe: 'Write the same curves as CSV to this file' },
  'open-bins': {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Write every bin that is open, with what it would take, to this Markdown file',
  },
  index: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Write which run hits which bin, for --holes of others, to this JSON file (npm run bin-index)',
  },
  ucis: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write UCIS 1.0 XML to this file' },
  merged: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write all runs together as a store to this file' },
  goal: {
    group: OUTPUT,
    type: 'string',
    value: 'percent',
    describe: 'Percent of bins; exit code 4 when fewer are covered',
  },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
