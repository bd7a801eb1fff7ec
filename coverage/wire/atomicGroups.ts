/** Covergroup of atomics, as their answers show them. */

import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { binsof } from '../../uvm/coverage/selection.ts';

export const ATOMIC_OPERATION = { compareSwap: 0, fetchAdd: 1 } as const;
/** What became of the word: another value, the same, or a sum that went round. */
export const ATOMIC_OUTCOME = { changed: 0, unchanged: 1, wrapped: 2 } as const;

/** An atomic that is answered. One object for all: valid while it is sampled. */
export class AtomicSample {
  operation = 0;
  outcome = 0;
  /** It was answered before. */
  again = false;
  /** Queue pairs that have named the word so far. */
  sharers = 0;
}

export const atomicCg = covergroup<AtomicSample>('atomic_cg', { comment: 'atomics that were answered' }, (g) => {
  const operation = g.coverpoint('operation', (a) => a.operation, enumBins(ATOMIC_OPERATION));
  const outcome = g.coverpoint('outcome', (a) => a.outcome, enumBins(ATOMIC_OUTCOME));
  const answer = g.coverpoint('answer', (a) => (a.again ? 1 : 0), [bins('first', 0), bins('again', 1)]);
  const sharers = g.coverpoint('sharers', (a) => a.sharers, [bins('one', 1), bins('two', 2), bins('more', [3, 8192])], {
    comment: 'queue pairs that have named the word',
  });
  g.cross('operation_x_outcome', [operation, outcome], {
    ignore: { sums_go_round: binsof(operation, 'compareSwap').and(binsof(outcome, 'wrapped')) },
  });
  g.cross('operation_x_answer', [operation, answer]);
  g.cross('outcome_x_sharers', [outcome, sharers]);
});
