/**
 * Values of parameters that are worth a try, for whoever chooses parameters of runs by what their runs have covered. What
 * a test draws by itself is among them: that a value can be drawn does not say that it is drawn often enough.
 */

import { ALWAYS, type Choices, SURROUNDINGS } from './drawSurroundings.ts';
import { TRAFFIC_PARAMETERS } from '../parameterReads.ts';
import type { ParameterName } from '../table/parameterTable.ts';
import { RANDOM_VERBS_TEST, SEQUENCE_TEST } from '../parameters.ts';

/** Values of one parameter, as they are typed. */
export interface ParameterCorners {
  readonly name: ParameterName;
  readonly values: readonly string[];
}

/** Requests of the tests that make requests by these. */
const TRAFFIC: Choices = [
  ['DB_NUM', [1, 2, 4, 10]],
  ['SEND_WQE_NUM', [0, 1, 4, 16]],
  ['WRITE_WQE_NUM', [0, 1, 4, 16]],
  ['READ_WQE_NUM', [0, 1, 4, 16]],
  ['DATA_CNT', [1, 64, 1024, 4096, 16_384]],
  ['IMM', [0, 30, 100]],
  ['FENCE', [0, 20, 100]],
  ['SOLICITED', [0, 40, 100]],
  ['CQ_EVENT', [false, true]],
  ['ONE_SIDE_LAUNCH', [false, true]],
  ['MR_GRANULARITY', ['sg', 'request', 'qp']],
];
const PACKETS: Choices = [
  // Half way round the circle, where what is old and what is new changes sides.
  ['PSN', ['random', 'wrap', '8388600']],
  ['TRAFFIC_CLASS', [0, 96, 255]],
  ['FLOW_LABEL', [0, 74_565]],
  ['HOP_LIMIT', [1, 64, 255]],
];
/** For calls in any order, which wait for nothing that may be lost for good. */
const FAULTS: Choices = [
  ['LOSS_PCT', [0.5, 3]],
  ['DUP_PCT', [1, 5]],
  ['REORDER_PCT', [1, 5]],
  ['DELAY_PCT', [1, 5]],
  ['CORRUPT_PCT', [0.5, 2]],
  ['ECN_PCT', [10]],
];

/** @param lineage names of a test and of those that it extends: what means nothing in it is left out */
export function cornersOf(lineage: readonly string[]): readonly ParameterCorners[] {
  const isSequence = lineage.includes(SEQUENCE_TEST);
  const faults = lineage.includes(RANDOM_VERBS_TEST) ? FAULTS : [];
  const tables = [ALWAYS, SURROUNDINGS, PACKETS, faults, isSequence ? [] : TRAFFIC].flat();
  const values = new Map<ParameterName, Set<string>>();
  for (const [name, some] of tables) values.set(name, new Set([...(values.get(name) ?? []), ...some.map(typed)]));
  return [...values]
    .filter(([name]) => (isSequence ? !TRAFFIC_PARAMETERS.includes(name) : name !== 'SEQ_COUNT'))
    .map(([name, all]) => ({ name, values: [...all] }));
}

function typed(value: number | string | boolean): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
