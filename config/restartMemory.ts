/** What a run that sets its system up again and again (`+RESTARTS`) needs in memory. */

import type { ExplicitScenario } from './scenario/file/explicitScenario.ts';

/** Bytes of received data that the memory of a process holds next to everything else. */
export const MAX_RECEIVED = 3.5 * 2 ** 30;

const MIB = 2 ** 20;
/** Bytes that stay of a turn besides its data, and of one that is drawn with its data, as measured. */
const PLAIN_TURN = 2 ** 17;
const DRAWN_TURN = 5 * 2 ** 17;

/** One turn of a run. */
export interface Turn {
  /** Bytes that are received in it; 0 where each turn draws its own, which is as much as it is on the average. */
  readonly received: number;
  /** Whether `test_random` draws it. */
  readonly isRandom: boolean;
}

/**
 * What a system that is taken down has had in memory stays, for it is judged at the end.
 * @returns what is wrong, in a list of one
 */
export function restartProblems(restarts: number, { received, isRandom }: Turn): string[] {
  const turn = (isRandom ? DRAWN_TURN : PLAIN_TURN) + received;
  const most = Math.max(1, Math.floor(MAX_RECEIVED / turn)) - 1;
  if (restarts <= most) return [];
  const room = `the ${restarts + 1} turns need about ${Math.ceil((turn * (restarts + 1)) / MIB)} MiB of memory`;
  return [
    `+RESTARTS=${restarts}: ${room}, of which there are ${MAX_RECEIVED / MIB}; use 0..${most}, or lower the data`,
  ];
}

/** The turn that plays an explicit scenario: all that its requests deliver. */
export function turnOfScenario({ hosts }: ExplicitScenario): Turn {
  const requests = hosts.flatMap(({ qps }) => qps.flatMap(({ doorbells }) => doorbells.flatMap(({ sends }) => sends)));
  const received = requests.reduce((sum, { sges }) => sges.reduce((bytes, { length }) => bytes + length, sum), 0);
  return { received, isRandom: false };
}
