/**
 * Parameters beside a scenario: what shapes a run without being part of its content. They go with a scenario when it
 * is written out, and stand in for defaults when it is played. All others come from the scenario itself.
 */
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import { parseParameter } from '../../parseParameter.ts';
import { hostValues } from '../../hostValues.ts';
import { NIC_KNOB_PREFIX, PARAMETERS, type Parameter } from '../../table/parameterTable.ts';

const GROUPS: readonly Parameter['group'][] = ['transport', 'PCIe and link', 'faults', 'device'];
const ALSO: readonly string[] = [
  'DATA_OFFSET',
  'PAGE_SCATTER',
  'MEM_DOMAIN',
  'CQ_EVENT',
  'SETTLE',
  'STALL_TIME',
  'SIM_TIMEOUT',
  'TEARDOWN',
];
/** Each queue pair of a scenario has its own. */
const PER_QP: readonly string[] = ['MTU', 'PSN'];
/** The same work is for a NIC with the bug and for one without: who plants one says so in each run. */
const PLANTED = 'DUT_FAULT';
/** Parameters of the run that say nothing about stimulus: they may be typed with any scenario. */
const RUN_ONLY: readonly Parameter['group'][] = ['run'];
/** Of those, what belongs to another kind of test. */
const OTHER_TESTS: readonly string[] = [
  'UVM_TEST_SEQ',
  'CASE',
  'CASE_BUG',
  'SEQ_COUNT',
  'WAVE',
  'DRAW_WIDE',
  'DRAW_CORNERS',
];

/** True for a parameter that a scenario file may bring. */
export function isSurrounding(p: Parameter): boolean {
  const isInGroup = GROUPS.includes(p.group) && !PER_QP.includes(p.name) && p.name !== PLANTED;
  return isInGroup || ALSO.includes(p.name);
}

/** True for a parameter that has an effect when a scenario is played. */
export function worksWithScenario(p: Parameter): boolean {
  return isSurrounding(p) || p.name === PLANTED || (RUN_ONLY.includes(p.group) && !OTHER_TESTS.includes(p.name));
}

/** What is wrong with the parameters that a scenario file brings, with the place of each. */
export function checkSurroundings(
  parameters: Readonly<Record<string, string>>,
): { path: readonly string[]; message: string }[] {
  return Object.entries(parameters).flatMap(([name, text]) => {
    const message = name.startsWith(NIC_KNOB_PREFIX) ? checkKnob(text) : checkParameter(name, text);
    return message === undefined ? [] : [{ path: ['parameters', name], message }];
  });
}

function checkKnob(text: string): string | undefined {
  const values = hostValues(text) ?? [{ value: '' }];
  const isNumber = values.every(({ value }) => value !== '' && Number.isFinite(Number(value)));
  return isNumber ? undefined : `"${text}" is not a number, nor numbers with host= behind each: "64;8,host=1"`;
}

function checkParameter(name: string, text: string): string | undefined {
  const rows: readonly Parameter[] = PARAMETERS;
  const legal = rows.filter(isSurrounding);
  const row = legal.find((p) => p.name === name || p.aliases?.includes(name));
  if (row !== undefined) return parseParameter(row, text, `"${text}"`).problem;
  const known = rows.find((p) => p.name === name || p.aliases?.includes(name));
  if (known === undefined) {
    return `there is no such parameter${didYouMean(
      name,
      legal.map((p) => p.name),
    )}`;
  }
  if (PER_QP.includes(known.name))
    return `each queue pair of the scenario has its own; change "${known.name.toLowerCase()}" there`;
  return 'a scenario file cannot bring it; leave it out';
}
