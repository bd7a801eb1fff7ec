/** Text for `--help` and the `--list-...` flags. */

import { commandLine } from '../../uvm/cmdline/shellQuote.ts';
import { rangeText } from '../../config/parseParameter.ts';
import { PARAMETERS, type Parameter } from '../../config/table/parameterTable.ts';
import { counted } from '../../uvm/report/counted.ts';
import { knobRange } from '../../dut-model/nicKnob.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { bugStimulus } from '../nicEntry.ts';
import type { NamedType } from '../registry.ts';

const WIDTH = 118;
/** Column of the texts beside names. */
const INDENT = 26;
const DEFAULT_DUT = (PARAMETERS as readonly Parameter[]).find(({ name }) => name === 'DUT')?.default;
const STANDARD_PLUSARGS = [
  '+UVM_TESTNAME=<test>, +UVM_VERBOSITY=<level>, +UVM_MAX_QUIT_COUNT=<n>, +UVM_TIMEOUT=<ns>,<YES|NO> and the other',
  'plusargs of the UVM standard work as in a simulator: docs/uvm.md. Seeds: --seed, +ntb_random_seed=<n>,',
  '+ntb_random_seed_automatic, -sv_seed <n>, -svseed <n>, +verilator+seed+<n>, or COCOTB_RANDOM_SEED in the environment.',
];
const EXAMPLE = [
  'Example: ./hca_test +UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=16 +SEND_WQE_NUM=1 +DATA_CNT=10 +DATA_UNIT=B',
  'Exit codes: 0 passed, 1 test failed, 2 usage, 3 infrastructure, 4 gate missed, 130 Ctrl-C.',
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
  return [...parts, ...STANDARD_PLUSARGS, '', ...EXAMPLE].join('\n');
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

/** The faults of every NIC model, where it is known with a line that makes each of them show. */
export function listFaults(nics: readonly NicEntry[]): string {
  return listOf(nics, (nic) =>
    nic.faults.map((fault) => {
      const { name, description, needs = [] } = fault;
      const play = faultLine(nic, fault);
      if (play !== '') return `${aligned(name, description)}\n${' '.repeat(INDENT)}${play}`;
      return aligned(name, needs.length === 0 ? description : `${description} (needs ${needs.join(' ')})`);
    }),
  );
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

function parameterText(row: Parameter): string {
  const names = [row.name, ...(row.aliases ?? [])].map((name) => `+${name}`).join(', ');
  const fallback = row.default === '' ? '' : `, default ${row.default}`;
  // The range of a time says so already.
  const unit = row.unit === undefined || row.kind === 'time' ? '' : ` ${row.unit}`;
  const facts = `${rangeText(row)}${unit}${fallback}`;
  return aligned(names, `${row.doc} [${facts}]`);
}

/** A name and its text in two columns, the text wrapped. */
function aligned(name: string, text: string): string {
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
