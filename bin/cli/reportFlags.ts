/** The flags of `hca_regress report`. */

import type { FlagTable } from './flagTable.ts';

const WHAT = 'What to show:';
const OUTPUT = 'Output:';

export const REPORT_FLAGS = {
  base: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Compare with an earlier regression in this folder: new, persistent and fixed signatures',
  },
  html: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'File for the page (default report.html in the first folder)',
  },
  markdown: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    optionalValue: true,
    describe:
      'Write a Markdown summary for a merge request to standard output or to this file; no page unless --html is given',
  },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
