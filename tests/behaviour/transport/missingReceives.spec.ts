/** Messages for which software never posts a receive: the run is given up, and not as a fault of the NIC. */

import { expect } from 'chai';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import { type Played, play } from '../../unit/tests/harness.ts';

/** A SEND whose receive comes `late` ps after it. */
function playLate(late: number): Promise<Played> {
  class Late extends UserSequence {
    static readonly typeName = 'late';

    override *connection({ left, right }: Connection): Proc<void> {
      const [near, far] = [yield* left.source(100), yield* right.sink(100)];
      yield* left.send(near);
      yield* delay(late);
      yield* right.receive(far);
      yield* left.sent();
      yield* right.received();
    }
  }
  const line = '+UVM_TEST_SEQ=late +RC_QP_NUM=1 +STALL_TIME=5ms';
  return play('test_sequence', line, 1, ({ factory }) => factory.register('late', Late));
}

describe('a message without a receive', () => {
  it('waits for one that comes before twice the stall time', async () => {
    const run = await playLate(8 * MS);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_FATAL: 0, requests_done: 1 });
  });

  it('ends the run with SCB_NO_RECEIVE when only software could go on, and blames no NIC', async () => {
    const run = await playLate(1000 * MS);
    expect(run.log).to.match(/UVM_FATAL .*\[SCB_NO_RECEIVE\] nothing has got on for 10ms, the run is given up: host 0/);
    expect(run.log).to.contain('Post receives before the messages that take them');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_FATAL: 1 });
    expect(run.simulatedTimePs).to.be.below(100 * MS);
  });
});
