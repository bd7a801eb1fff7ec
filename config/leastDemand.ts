/**
 * Whether a partly settled set of parameters can still become a legal run with work in it.
 *
 * What must hold between parameters are sums and table sizes, which only grow with the numbers in them. So the least
 * demanding values of what is open decide: if none of their combinations is legal, nothing is.
 */
import type { DeviceLimits } from '../env/deviceLimits.ts';
import { hasWork, isLegal, sizesFit, workFits } from './derivedChecks.ts';
import type { DraftValues } from './draftValues.ts';
import type { ParameterName, ParameterValues } from './table/parameterTable.ts';

type Candidates = readonly (number | string | boolean)[];
type Level = readonly (readonly [ParameterName, Candidates])[];

const FEW: Candidates = [0, 1];

/** Least demanding values, and the parameters in the order in which their constraints are tried. */
const WORK: Level = [
  ['DB_NUM', [1]],
  ['RC_QP_NUM', FEW],
  ['UC_QP_NUM', FEW],
  ['UD_QP_NUM', FEW],
  ['SEND_WQE_NUM', FEW],
  ['WRITE_WQE_NUM', FEW],
  ['READ_WQE_NUM', FEW],
];
const SIZES: Level = [
  ['HOST_NUM', [2]],
  ['SG_NUM', [1]],
  ['MTU', [256]],
  ['DATA_CNT', [1, 0]],
  ['ONE_SIDE_LAUNCH', [false, true]],
  ['IMM', [0]],
];
const TABLES: Level = [
  ['SPLIT_CQ', [false]],
  ['MR_GRANULARITY', ['qp', 'request', 'sg']],
  ['SHARED_CQ', [1, 2, 3, 0]],
  ['PROC_NUM', [1, 2, 3, 4, 7, 100, 2048]],
];

/** Parameters that something must hold between. The others may take any value of their range. */
export const CONSTRAINED: ReadonlySet<ParameterName> = new Set([
  ...[...WORK, ...SIZES, ...TABLES].map(([name]) => name),
  'DATA_UNIT',
  'RECV_WQE_NUM',
  'MAX_SEND_WR',
  'MAX_RECV_WR',
]);

/** What the values must come to. */
export interface DrawGoal {
  /** RECV_WQE_NUM where it is given: there must be as many SENDs. */
  readonly receives: number | undefined;
  /** Of the NIC. */
  readonly limits: DeviceLimits;
  /** At least one request is posted. */
  readonly work: boolean;
}

/**
 * A legal, complete set of values that keeps those of `draft` outside `open`, or null when there is none.
 * @param open parameters that may be chosen
 */
export function leastDemand(draft: DraftValues, open: ReadonlySet<ParameterName>, goal: DrawGoal): DraftValues | null {
  const { receives, limits } = goal;
  const sends: Candidates = receives === undefined ? FEW : [receives];
  const work: Level = WORK.map(([name, values]) => [name, name === 'SEND_WQE_NUM' ? sends : values]);
  for (const withWork of choices(work, open, draft)) {
    const values = withReceives(withWork, receives);
    if (!workFits(values, limits) || (goal.work && !hasWork(values))) continue;
    for (const sized of choices(SIZES, open, withWork)) {
      if (!sizesFit(withReceives(sized, receives), true, limits)) continue;
      const found = firstLegal(choices(TABLES, open, sized), goal);
      if (found !== null) return found;
    }
  }
  return null;
}

/** True when the complete values are legal and come to what is wanted. */
export function isUsable(draft: DraftValues, goal: DrawGoal): boolean {
  const values = withReceives(draft, goal.receives);
  return (hasWork(values) || !goal.work) && isLegal(values, true, goal.limits);
}

function firstLegal(drafts: Iterable<DraftValues>, { receives, limits }: DrawGoal): DraftValues | null {
  for (const draft of drafts) if (isLegal(withReceives(draft, receives), true, limits)) return draft;
  return null;
}

/** Not given, there are as many receives as SENDs. */
function withReceives(draft: DraftValues, receives: number | undefined): ParameterValues {
  return { ...draft, RECV_WQE_NUM: receives ?? draft.SEND_WQE_NUM } as unknown as ParameterValues;
}

/** All combinations of the candidates of open parameters, least demanding first. */
function* choices(level: Level, open: ReadonlySet<ParameterName>, draft: DraftValues): Generator<DraftValues> {
  const [first, ...rest] = level;
  if (first === undefined) {
    yield draft;
    return;
  }
  const [name, candidates] = first;
  if (!open.has(name)) {
    yield* choices(rest, open, draft);
    return;
  }
  for (const value of candidates) yield* choices(rest, open, { ...draft, [name]: value });
}
