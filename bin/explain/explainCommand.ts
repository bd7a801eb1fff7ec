/** `hca_regress explain <id>`: what a check means, its rules with their clauses, and the planted bugs that it finds. */

import { readFlags } from '../cli/readFlags.ts';
import { RULE, RULE_NAMES } from '../../agents/wire/transportRules.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { whyUnread } from '../../files/dataError.ts';
import { WIDENING_NAMES, wideningRow } from '../../scoreboard/model/widenings.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { regressProgram, testProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { wholeOf } from '../cli/flagValues.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { Outputs } from '../many/playRegression.ts';
import { bugStimulus } from '../nicEntry.ts';
import type { Registry } from '../registry.ts';
import { callLine } from '../run/replay/replayLine.ts';
import { EXIT } from '../run/runSpec.ts';
import { type Check, readChecks } from './checkTable.ts';

const DEFAULT_BUGS = 5;
const BUGS = { least: 0, most: 10_000 };

const EXPLAIN_FLAGS = {
  bugs: {
    group: 'Output:',
    type: 'string',
    value: 'n',
    describe: `Maximum number of planted bugs to show (default ${DEFAULT_BUGS})`,
  },
  help: { group: 'Output:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE = [
  'An id is what stands in brackets in front of a finding: SCB_STATUS, WIRE_RETRY. docs/checks.md lists all of them.',
  'Clauses are those of roce-transport.md.',
].join('\n');

/** @param argv words behind `explain` @param registryOf loads the NIC models @returns the exit code */
export async function explain(
  argv: readonly string[],
  registryOf: () => Promise<Registry>,
  { out, err }: Outputs,
): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), EXPLAIN_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage('explain'), EXPLAIN_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const problems = [...checked.problems];
  const most = wholeOf('bugs', flags['bugs'] as string | undefined, BUGS, DEFAULT_BUGS, problems);
  const ids = checked.positionals.map(({ text }) => text.toUpperCase());
  if (ids.length === 0) problems.push('explain: needs the id of a check, such as SCB_STATUS; --help shows how');
  const checks = problems.length > 0 ? undefined : checksOf(ids, problems);
  if (checks === undefined || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const { nics } = await registryOf();
  out.line(checks.map((check) => explained(check, nics, most)).join('\n\n'));
  return EXIT.passed;
}

/** The checks with these ids; says of which there is none. */
function checksOf(ids: readonly string[], problems: string[]): readonly Check[] {
  try {
    const all = readChecks();
    return ids.flatMap((id) => {
      const check = all.get(id);
      if (check === undefined)
        problems.push(`${id} (command line): no check${didYouMean(id, all.keys())}; docs/checks.md lists them`);
      return check === undefined ? [] : [check];
    });
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    problems.push(`docs/checks.md: ${why}`);
    return [];
  }
}

function explained({ id, meaning, room }: Check, nics: readonly NicEntry[], most: number): string {
  const rules = RULE_NAMES.filter((name) => RULE[name].id === id);
  const widenings = WIDENING_NAMES.filter((name) => wideningRow(name).rule === id);
  return [
    `${id}: ${meaning}`,
    `  ${room}`,
    ...part(
      'a packet breaks it that',
      rules.map((name) => `${RULE[name].text} (${RULE[name].clause}, ${name})`),
    ),
    ...part(
      'both are right where',
      widenings.map((name) => wideningLine(name)),
    ),
    ...bugLines(id, nics, most),
  ].join('\n');
}

function wideningLine(name: string): string {
  const { text, clause } = wideningRow(name);
  return `${text} (${clause}, ${name})`;
}

/** Each planted bug that names the id, with the line that plays it. */
function bugLines(id: string, nics: readonly NicEntry[], most: number): readonly string[] {
  const bugs = nics.flatMap((nic) =>
    nic.faults.filter(({ caughtBy = [] }) => caughtBy.includes(id)).map((bug) => ({ nic, bug })),
  );
  if (bugs.length === 0) return ['  no planted bug is found by it'];
  const shown = bugs.slice(0, most).flatMap(({ nic, bug }) => {
    const argv = [...bugStimulus(nic, bug), `+DUT=${nic.name}`, `+DUT_FAULT=${bug.name}`];
    return [`${bug.name} (${nic.name}): ${bug.description}`, `  ${callLine({ program: testProgram() }, argv)}`];
  });
  const more = bugs.length - Math.min(most, bugs.length);
  const rest = more === 0 ? [] : [`... and ${more} more; --bugs ${bugs.length} shows them all`];
  return part(`planted bugs that it finds (${bugs.length})`, [...shown, ...rest]);
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${line}`)];
}
