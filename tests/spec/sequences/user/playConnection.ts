import { expect } from 'chai';
import type { Connection } from '../../../../sequences/user/connection.ts';
import { UserSequence } from '../../../../sequences/user/userSequence.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { type Played, play } from '../../tests/harness.ts';

/** What a sequence does on its first connection. */
export type Work = (sequence: UserSequence, connection: Connection) => Proc<void>;

/** Plays a connection of a sequence that is made for one spec. */
export function playConnection(work: Work, line = '+RC_QP_NUM=1'): Promise<Played> {
  class Ad extends UserSequence {
    static readonly typeName = 'ad_hoc';
    override *connection(connection: Connection): Proc<void> {
      if (connection.index === 0) yield* work(this, connection);
    }
  }
  return play('test_sequence', `+UVM_TEST_SEQ=ad_hoc ${line}`, 1, ({ factory }) => factory.register('ad_hoc', Ad));
}

export function expectClean(run: Played): void {
  expect(run.verdict, run.log).to.equal('passed');
  expect(run.counts, run.log).to.include({ UVM_WARNING: 0, UVM_ERROR: 0 });
}

/** Nothing was wrong, and nothing was judged, since nothing was posted. */
export function expectIdle(run: Played): void {
  expect(run.verdict, run.log).to.equal('vacuous');
  expect(run.counts, run.log).to.include({ UVM_WARNING: 1, UVM_ERROR: 0 });
}
