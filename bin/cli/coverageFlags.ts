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
  without: { group: WHAT, type: 'string', value: 'pattern', describe: 'Skip runs of these tests or names' },
  'with-failed': { group: WHAT, type: 'boolean', describe: 'Also count runs that did not pass' },
  exclude: {
    group: WHAT,
    type: 'string',
    value: 'file',
    describe:
      'File of excluded (unreachable) bins with reasons (default coverage/plan/unreachable.yaml of the project)',
  },
  items: { group: SHOW, type: 'boolean', describe: 'Show coverpoints and crosses' },
  bins: { group: SHOW, type: 'boolean', describe: 'Show coverpoints, crosses and their bins' },
  holes: {
    group: SHOW,
    type: 'boolean',
    describe: 'Show bins without a hit, each with the test or list entry that hits it',
  },
  'run-holes': {
    group: SHOW,
    type: 'boolean',
    describe: 'Run what --holes names, with coverage, into the folder holes beside the first source',
  },
  hits: {
    group: SHOW,
    type: 'string',
    value: 'bins',
    describe: 'Show the runs that have hit these bins (name or pattern)',
  },
  rank: {
    group: SHOW,
    type: 'boolean',
    describe: 'Rank runs by coverage per cost, and show how many seeds each test needs',
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
    describe: 'Compare: bins that only one of the two regressions covers',
  },
  plan: {
    group: SHOW,
    type: 'string',
    value: 'file',
    optionalValue: true,
    // Folders of regressions stand on the same command line.
    valueLike: /\.ya?ml$/i,
    describe:
      'Show the testpoints of the verification plan with their evidence (default coverage/plan/*.yaml of the project)',
  },
  trend: {
    group: SHOW,
    type: 'boolean',
    describe: 'Show what each folder has gained and lost against the one before, in the order of the command line',
  },
  top: { group: SHOW, type: 'string', value: 'n', describe: 'Maximum number of rows of a table (default 30)' },
  format: { group: OUTPUT, type: 'string', value: 'format', describe: 'text (default), md or json' },
  html: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write a page for a browser to this file' },
  growth: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Draw coverage over runs and over processor time, one curve per folder, into this SVG file',
  },
  'growth-csv': { group: OUTPUT, type: 'string', value: 'file', describe: 'Write the same curves as CSV to this file' },
  'open-bins': {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Write every open bin, with the way to hit it, to this Markdown file',
  },
  index: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe:
      'Write the index of bins and the runs that hit them, which --holes reads, to this JSON file (npm run bin-index)',
  },
  ucis: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write UCIS 1.0 XML to this file' },
  merged: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Write the merged coverage of all runs to this file',
  },
  goal: {
    group: OUTPUT,
    type: 'string',
    value: 'percent',
    describe: 'Coverage goal in percent of bins; exit code 4 below it',
  },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
