/**
 * Widenings: where the judge lets more than one thing be right, because what decides between them is not seen from outside. Each
 * is a row with the check that it widens, the clause, why, and the case that fails without it; how often a verdict depended on
 * each is counted, so that one that nothing needs shows (`+JUDGE_STATS=1`).
 *
 * What a request may end with besides the status that it must end with are widenings of SCB_STATUS: `CAUSE` in `outcomes.ts`.
 */

import { CAUSE, type Cause, type PossibleCause } from './outcomes.ts';

export interface Widening {
  /** Id of the check that it widens. */
  readonly rule: string;
  /** Of roce-transport.md. */
  readonly clause: string;
  readonly text: string;
  /**
   * What fails without it: the title of a row of the race tables (tests/spec/scoreboard/races), a file of specs, or the
   * arguments of a run (`+UVM_TESTNAME=…`).
   */
  readonly spec: string;
}

export const WIDENING = {
  lateAnswer: {
    rule: 'WIRE_UNPROVOKED',
    clause: '3.8',
    text: 'the timeout may have expired just before the latest answer arrived',
    spec: 'retransmits what is left when an answer comes that was in flight when the time-out expired',
  },
  unknownTimer: {
    rule: 'WIRE_UNPROVOKED',
    clause: '3.8',
    text: 'the start time of the timer is not known',
    spec: '+UVM_TESTNAME=test_random +DRAW_FAULTS=1 --seed 41611822',
  },
  lateProgress: {
    rule: 'WIRE_RETRY',
    clause: '3.8',
    text: 'a retry may have been counted before the latest answer was processed',
    spec: 'spends no retry on the return to what a late answer has left',
  },
  expiredBeforeRefusal: {
    rule: 'WIRE_RNR',
    clause: '3.8',
    text: 'the timeout may have expired before the RNR NAK arrived',
    spec: 'need not wait for a receiver that is not ready where its time-out may have expired before it heard of that',
  },
  afterError: {
    rule: 'SCB_STATUS',
    clause: '5.3',
    text: 'later errors may be consequences of the first error of a queue pair',
    spec: 'tests/spec/scoreboard/queueErrors.spec.ts',
  },
  mayBeFlushed: {
    rule: 'SCB_STATUS',
    clause: '6.3',
    text: 'software, or an error that is not visible yet, takes the queue pair to the error state',
    spec: 'tests/spec/scoreboard/flushes.spec.ts',
  },
  completionLost: {
    rule: 'SCB_ORDER',
    clause: '5.5',
    text: 'a receive of a shared queue may have completed in a full completion queue (also SCB_MISSING and SCB_REFUSED)',
    spec: 'tests/spec/scoreboard/sharedReceives.spec.ts',
  },
} as const satisfies Readonly<Record<string, Widening>>;

/** Names of all rows. */
export const WIDENING_NAMES: readonly string[] = [
  ...Object.keys(WIDENING),
  ...Object.keys(CAUSE).filter((name) => !CAUSE[name as keyof typeof CAUSE].certain),
];

const NAME_OF = new Map<Widening | PossibleCause, string>(
  [...Object.entries(WIDENING), ...Object.entries(CAUSE)].map(([name, row]) => [row as Widening | PossibleCause, name]),
);

/** Which widenings hold in a run, and how often a verdict depended on each. */
export class WideningHits {
  readonly #hits = new Map<string, number>();
  #off: ReadonlySet<string> = new Set();

  /** Widenings with these names hold no more; names of other rows of the judge are passed over. */
  switchOff(names: readonly string[]): void {
    this.#off = new Set(names);
  }

  /** Without it there would be a finding. @returns whether it holds, so that there is none */
  permits(row: Widening | PossibleCause): boolean {
    const name = NAME_OF.get(row) as string;
    if (this.#off.has(name)) return false;
    this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
    return true;
  }

  of(name: string): number {
    return this.#hits.get(name) ?? 0;
  }
}

/** A widening by its name, also one of the causes of `outcomes.ts`. */
export function wideningRow(name: string): Widening {
  const row = (WIDENING as Readonly<Record<string, Widening>>)[name];
  if (row !== undefined) return row;
  const { clause, text, spec } = CAUSE[name as keyof typeof CAUSE] as Cause;
  return { rule: 'SCB_STATUS', clause, text, spec };
}

/** Check, clause and reason of a widening, for messages. */
export function wideningText(name: string): string {
  const { rule, clause, text } = wideningRow(name);
  return `${rule}, roce-transport.md ${clause}: ${text}`;
}
