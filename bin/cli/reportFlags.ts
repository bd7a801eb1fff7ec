/** The flags of `hca_regress report`. */

import type { FlagTable } from './flagTable.ts';

const WHAT = 'What to show:';
const OUTPUT = 'Output:';

export const REPORT_FLAGS = {
  base: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Folder of an earlier regression: signatures that are new, that still fail, and that fail no more',
  },
  html: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'File for the page (default report.html in the folder, of several in the first)',
  },
  markdown: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    optionalValue: true,
    describe:
      'A summary in Markdown for a merge request: to standard output, or into this file; without --html no page',
  },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
