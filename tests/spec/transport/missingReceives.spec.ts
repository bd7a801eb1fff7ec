/** Messages for which software never posts a receive: the run is given up, and not as a fault of the NIC. */

import { expect } from 'chai';
import { QP_STATE } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { MS, US } from '../../../uvm/kernel/time.ts';
import { type Played, play } from '../tests/harness.ts';

/** A SEND whose receive comes `late` ps after it. @param rnrTimer code of the time that the receiver asks for */
function playLate(late: number, line = '+STALL_TIME=5ms', rnrTimer = 1): Promise<Played> {
  class Late extends UserSequence {
    static readonly typeName = 'late';

    override *connection({ left, right }: Connection): Proc<void> {
      const [near, far] = [yield* left.source(100), yield* right.sink(100)];
      yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, minRnrTimer: rnrTimer });
      yield* left.send(near);
      yield* delay(late);
      yield* right.receive(far);
      yield* left.sent();
      yield* right.received();
    }
  }
  return play('test_sequence', `+UVM_TEST_SEQ=late +RC_QP_NUM=1 ${line}`, 1, ({ factory }) =>
    factory.register('late', Late),
  );
}

describe('a message without a receive', () => {
  it('waits for one that comes before twice the stall time', async () => {
    const run = await playLate(8 * MS);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_FATAL: 0, requests_done: 1 });
  });

  it('may be sent again as late as its receiver asked for, also later than the stall time', async () => {
    // Code 0 asks for 655.36 ms.
    for (const late of [20 * US, 654 * MS, 700 * MS]) {
      const run = await playLate(late, '', 0);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.simulatedTimePs).to.be.within(655 * MS, 1400 * MS);
    }
  });

  it('gets on in its own time once there is a receive, however long that took', async () => {
    // Code 20 asks for 10.24 ms.
    for (const late of [6 * MS, 6.5 * MS, 9 * MS]) {
      const run = await playLate(late, '+STALL_TIME=5ms', 20);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });

  it('ends the run with SCB_NO_RECEIVE when only software could go on, and blames no NIC', async () => {
    const run = await playLate(1000 * MS);
    expect(run.log).to.match(/UVM_FATAL .*\[SCB_NO_RECEIVE\] nothing has got on for 10ms, the run is given up: host 0/);
    expect(run.log).to.contain('Post receives before the messages that take them');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_FATAL: 1 });
    expect(run.simulatedTimePs).to.be.below(100 * MS);
  });
});
