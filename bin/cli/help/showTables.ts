/** Text for `--help` and the `--list-...` flags. */

import { commandLine } from '../../../uvm/cmdline/shellQuote.ts';
import { rangeText } from '../../../config/parseParameter.ts';
import { PARAMETERS, type Parameter } from '../../../config/table/parameterTable.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { knobRange } from '../../../dut-model/nicKnob.ts';
import type { FaultEntry, NicEntry } from '../../../env/nicKind.ts';
import { bugStimulus, DEFAULT_DUT } from '../../nicEntry.ts';
import type { NamedType } from '../../registry.ts';

const WIDTH = 118;
/** Column of the texts beside names. */
const INDENT = 26;
/** Behind any table of plusargs. */
export const STANDARD_PLUSARGS = [
  '+UVM_TESTNAME=<test>, +UVM_VERBOSITY=<level>, +UVM_MAX_QUIT_COUNT=<n>, +UVM_TIMEOUT=<ns>,<YES|NO> and the other',
  'plusargs of the UVM standard work as in a simulator: docs/uvm.md. Seeds: --seed, +ntb_random_seed=<n>,',
  '+ntb_random_seed_automatic, -sv_seed <n>, -svseed <n>, +verilator+seed+<n>, or COCOTB_RANDOM_SEED in the environment.',
];
/** The parameter table by group, then what else may be typed. */
export function plusargHelp(): string {
  const rows: readonly Parameter[] = PARAMETERS;
  const groups = [...new Set(rows.map((row) => row.group))];
  const parts = groups.flatMap((group) => [
    `Plusargs: ${group}`,
    ...rows.filter((row) => row.group === group).map(parameterText),
    '',
  ]);
  return [...parts, ...STANDARD_PLUSARGS, ''].join('\n');
}

/** One line per test or sequence. @param conflict what is wrong with a name that several classes have; '' for others */
export function listTypes(types: readonly NamedType[], conflict: (name: string) => string): string {
  if (types.length === 0) return 'none';
  return types.map((type) => aligned(type.name, typeText(type, conflict(type.name)))).join('\n');
}

/** One line per list, with the number of its runs. */
export function listedLists(
  lists: readonly { readonly name: string; readonly description: string; readonly runs: number }[],
): string {
  return lists
    .map(({ name, description, runs }) => aligned(name, `${counted(runs, 'run')}: ${description}`))
    .join('\n');
}

function typeText({ description, file, plusargs }: NamedType, conflict: string): string {
  if (conflict !== '') return `CANNOT BE RUN: ${conflict}`;
  const own = [...(plusargs ?? [])].map(([name, text]) => `+${name}: ${text}`);
  return [description === '' ? file : description, ...own].join('; ');
}

/**
 * The planted bugs of every NIC model, by the check that finds them.
 * @param withCommands each with a line that makes it show, where one is known
 */
export function listFaults(nics: readonly NicEntry[], { withCommands = false } = {}): string {
  return listOf(nics, (nic) => {
    const checks = [...new Set(nic.faults.map(finderOf))].sort();
    return checks.flatMap((check) => [
      `${check}:`,
      ...nic.faults.filter((fault) => finderOf(fault) === check).map((fault) => faultText(nic, fault, withCommands)),
    ]);
  });
}

function finderOf({ caughtBy }: FaultEntry): string {
  return caughtBy === undefined ? 'any check' : (caughtBy[0] ?? 'no check yet');
}

function faultText(nic: NicEntry, fault: FaultEntry, withCommand: boolean): string {
  const { name, description, needs = [] } = fault;
  const play = faultLine(nic, fault);
  if (play === '' && needs.length > 0) return aligned(name, `${description} (needs ${needs.join(' ')})`);
  return withCommand && play !== ''
    ? `${aligned(name, description)}\n${' '.repeat(INDENT)}${play}`
    : aligned(name, description);
}

/** A command in which a fault shows; '' where none is known. */
function faultLine(nic: NicEntry, fault: FaultEntry): string {
  const stimulus = bugStimulus(nic, fault);
  if (stimulus.length === 0) return '';
  const dut = nic.name === DEFAULT_DUT ? [] : [`+DUT=${nic.name}`];
  return commandLine(['./hca_test', ...stimulus, ...dut, `+DUT_FAULT=${fault.name}`]);
}

/** The knobs of every NIC model. */
export function listKnobs(nics: readonly NicEntry[]): string {
  return listOf(nics, ({ knobs }) =>
    knobs.map((knob) =>
      aligned(`+NIC_${knob.name}`, `${knob.description} [${knobRange(knob)}, default ${knob.default}]`),
    ),
  );
}

function listOf(nics: readonly NicEntry[], lines: (nic: NicEntry) => readonly string[]): string {
  const parts = nics.map((nic) => [`+DUT=${nic.name}: ${nic.description}`, ...lines(nic)].join('\n'));
  return parts.length === 0 ? 'none' : parts.join('\n\n');
}

/** A row of the parameter table. */
export function parameterText(row: Parameter): string {
  const names = [row.name, ...(row.aliases ?? [])].map((name) => `+${name}`).join(', ');
  const fallback = row.default === '' ? '' : `, default ${row.default}`;
  // The range of a time says so already.
  const unit = row.unit === undefined || row.kind === 'time' ? '' : ` ${row.unit}`;
  const facts = `${rangeText(row)}${unit}${fallback}`;
  return aligned(names, `${row.doc} [${facts}]`);
}

/** A name and its text in two columns, the text wrapped. */
export function aligned(name: string, text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && INDENT + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  const first =
    name.length + 3 > INDENT
      ? [`  ${name}`, `${' '.repeat(INDENT)}${lines.shift()}`]
      : [`  ${name.padEnd(INDENT - 2)}${lines.shift()}`];
  return [...first, ...lines.map((rest) => ' '.repeat(INDENT) + rest)].join('\n');
}
