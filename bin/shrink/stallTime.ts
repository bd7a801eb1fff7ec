/**
 * A queue pair that is stuck is found when nothing has got on for the stall time, 500 ms unless given: most of a run that is
 * tried only waits. Where it is found in the same way after a shorter time, the scenario asks for that.
 */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { MS } from '../../uvm/kernel/time.ts';
import type { TrialOutcome } from './trial.ts';

/** Its parameter: it is no part of what is shrunk. */
export const STALL_TIME = 'STALL_TIME';

/** Tried one after the other. Each is longer than any wait of a NIC that retries, unless its time-outs are drawn long. */
const SHORTER = ['1ms', '10ms', '50ms'] as const;
/** A run in which nothing gets on for less does not wait for that. */
const LONG_WAIT = 100 * MS;

/** What begins the shrinking. */
export interface Start {
  readonly scenario: CallScenario;
  readonly outcome: TrialOutcome;
}

/**
 * @param play a scenario on the NIC that fails
 * @param permits whether a case that fails as it should is legal: a healthy NIC must not be called stuck either
 */
export function withShortStall(
  start: Start,
  play: (scenario: CallScenario) => TrialOutcome,
  permits: (scenario: CallScenario, outcome: TrialOutcome) => boolean,
): Start {
  const { scenario, outcome } = start;
  if (outcome.longestIdle < LONG_WAIT) return start;
  for (const time of SHORTER) {
    const hastened = { ...scenario, parameters: { ...scenario.parameters, [STALL_TIME]: time } };
    const found = play(hastened);
    if (found.signature === outcome.signature && permits(hastened, found))
      return { scenario: hastened, outcome: found };
  }
  return start;
}
