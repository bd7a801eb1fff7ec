/** Writes docs/find.md: every report id, plusarg and flag with its page, in the order of the alphabet. */

import { PARAMETERS, type Parameter } from '../../config/table/parameterTable.ts';
import { COVERAGE_FLAGS } from '../cli/coverageFlags.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { shownFlag } from '../cli/helpText.ts';
import { REGRESS_FLAGS } from '../cli/regressFlags.ts';
import { REPORT_FLAGS } from '../cli/reportFlags.ts';
import { TEST_FLAGS } from '../cli/testFlags.ts';
import { PERF_FLAGS } from '../perf/perfFlags.ts';
import { readChecks } from './checkTable.ts';

const HEAD = `# Index

Every report id, plusarg and flag. \`./hca_test --help <word>\` and \`./hca_regress explain <id>\` say the same on a terminal.
This page is made from the tables of the code; \`npm run pages\` writes it again.
`;
/** Longest text of a row; the page that it leads to has the rest. */
const LONGEST = 140;

/** Flags by the command that takes them. */
const COMMANDS: readonly (readonly [command: string, page: string, table: FlagTable])[] = [
  ['hca_test', 'running.md', TEST_FLAGS],
  ['hca_regress run', 'running.md', REGRESS_FLAGS],
  ['hca_regress coverage', 'running.md', COVERAGE_FLAGS],
  ['hca_regress report', 'running.md', REPORT_FLAGS],
  ['hca_perf', 'perf.md', PERF_FLAGS],
];

/** The page as a whole. */
export function indexPage(): string {
  return [HEAD, ...checkRows(), '', ...plusargRows(), '', ...flagRows(), ''].join('\n');
}

function checkRows(): readonly string[] {
  const checks = [...readChecks().values()].sort((a, b) => compared(a.id, b.id));
  const rows = checks.map(({ id, meaning }) => `| [\`${id}\`](checks.md) | ${shortened(meaning)} |`);
  return ['## Report ids', '', '| id | what is wrong |', '|---|---|', ...rows];
}

function plusargRows(): readonly string[] {
  const names = (PARAMETERS as readonly Parameter[]).flatMap((row) =>
    [row.name, ...(row.aliases ?? [])].map((name) => ({ name, row })),
  );
  names.sort((a, b) => compared(a.name, b.name));
  const rows = names.map(({ name, row }) => `| [\`+${name}\`](parameters.md) | ${row.group} | ${shortened(row.doc)} |`);
  return ['## Plusargs', '', '| plusarg | group | what it sets |', '|---|---|---|', ...rows];
}

function flagRows(): readonly string[] {
  const flags = COMMANDS.flatMap(([command, page, table]) =>
    Object.entries(table).map(([name, flag]) => ({ name, command, page, flag })),
  );
  flags.sort((a, b) => compared(a.name, b.name) || compared(a.command, b.command));
  const rows = flags.map(
    ({ name, command, page, flag }) =>
      `| \`--${shownFlag(name, flag)}\` | [${command}](${page}) | ${shortened(flag.describe)} |`,
  );
  return ['## Flags', '', '| flag | command | what it does |', '|---|---|---|', ...rows];
}

/** The first sentence, or as much of it as a row has room for; without what a table takes for a border. */
function shortened(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.) (?=[A-Z`])/);
  const whole = sentence.replaceAll('|', '\\|').replaceAll('\n', ' ');
  if (whole.length <= LONGEST) return whole;
  const cut = whole.slice(0, LONGEST).replace(/\s+\S*$/, '');
  // A name in backticks that was cut in two would colour the rest of the page.
  return `${(cut.match(/`/g) ?? []).length % 2 === 0 ? cut : cut.slice(0, cut.lastIndexOf('`'))} ...`;
}

/** By code points: the same on every machine. */
function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
