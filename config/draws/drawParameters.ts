/**
 * Draws the parameters of `test_random` that were not given.
 *
 * The order is the solve order: a draw sees the values before it and those that are given, wherever they stand in the
 * order. Each parameter has a stream of its own, so giving one on the command line leaves the draws of the others as
 * they are, apart from what it constrains.
 *
 * A draw that leaves no legal run with work in it is repeated from the same stream. So the drawn values never
 * contradict the given ones; if the given ones contradict each other, what is drawn asks for as little as possible.
 */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { DraftValues } from '../draftValues.ts';
import { CONSTRAINED, type DrawGoal, isUsable, leastDemand } from '../leastDemand.ts';
import { DRAWS, num } from './parameterDraws.ts';
import { QP_NUMBERS, type ParameterName } from '../table/parameterTable.ts';

/** Names in solve order. */
const DRAW_ORDER: readonly ParameterName[] = DRAWS.map(([name]) => name);

/** Draws of one parameter that are tried before the least demanding value is taken. */
const MOST_TRIES = 32;
/** What is drawn when the given values contradict each other: as little as possible, so that they alone are blamed. */
const LEAST: Partial<DraftValues> = {
  HOST_NUM: 2,
  PROC_NUM: 1,
  SHARED_CQ: 1,
  SPLIT_CQ: false,
  DB_NUM: 1,
  SG_NUM: 1,
  MTU: 256,
  DATA_CNT: 1,
  MR_GRANULARITY: 'auto',
};

/**
 * Draws into `draft` every parameter of the list that `isGiven` does not name; returns what was drawn.
 * @param limits of the NIC
 */
export function drawParameters(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
  limits: DeviceLimits,
): ParameterName[] {
  const streams = new RandomStreams(seed, testName);
  const drawn = DRAW_ORDER.filter((name) => !isGiven(name));
  const receives = isGiven('RECV_WQE_NUM') ? num(draft, 'RECV_WQE_NUM') : undefined;
  const open = new Set(drawn);
  for (const name of drawn) draft[name] = UNSOLVED;
  const free = { ...draft };
  drawAll(free, open, streams);
  if (isUsable(free, { receives, limits, work: true })) Object.assign(draft, free);
  else solve(draft, open, streams, { receives, limits });
  return drawn;
}

/** Draws every open parameter as if nothing had to hold between them. */
function drawAll(draft: DraftValues, open: ReadonlySet<ParameterName>, streams: RandomStreams): void {
  for (const [name, draw] of DRAWS) if (open.has(name)) draft[name] = draw(streams.stream('parameters', name), draft);
}

/** Draws every open parameter so that after each draw a legal run is still possible; if at all, one with work. */
function solve(
  draft: DraftValues,
  open: ReadonlySet<ParameterName>,
  streams: RandomStreams,
  bounds: Omit<DrawGoal, 'work'>,
): void {
  const left = new Set(open);
  const goal = { ...bounds, work: leastDemand(draft, left, { ...bounds, work: true }) !== null };
  let witness = leastDemand(draft, left, goal);
  if (witness === null) {
    drawAll(draft, open, streams);
    for (const name of open) if (CONSTRAINED.has(name)) draft[name] = LEAST[name] ?? leastCount(name, draft, open);
    return;
  }
  for (const [name, draw] of DRAWS) {
    if (!left.delete(name)) continue;
    const stream = streams.stream('parameters', name);
    let fits: DraftValues | null = null;
    for (let tries = 0; tries < MOST_TRIES && fits === null; tries++) {
      fits = { ...draft, [name]: draw(stream, draft) };
      if (CONSTRAINED.has(name)) fits = leastDemand(fits, left, goal);
    }
    witness = fits ?? witness;
    draft[name] = witness[name];
  }
}

/** A count where the given values have no solution: one where otherwise there would be none at all, else none. */
function leastCount(name: ParameterName, draft: DraftValues, open: ReadonlySet<ParameterName>): number | boolean {
  if (name === 'ONE_SIDE_LAUNCH') return false;
  const groups: readonly (readonly ParameterName[])[] = [QP_NUMBERS, REQUEST_NUMBERS];
  const group = groups.find((names) => names.includes(name)) ?? [];
  const given = group.filter((other) => !open.has(other));
  const first = group.find((other) => open.has(other));
  return name === first && given.every((other) => num(draft, other) === 0) ? 1 : 0;
}

const REQUEST_NUMBERS: readonly ParameterName[] = ['SEND_WQE_NUM', 'WRITE_WQE_NUM', 'READ_WQE_NUM'];

/** Counts as nothing in sums of what is still to be drawn. */
const UNSOLVED = 0;
