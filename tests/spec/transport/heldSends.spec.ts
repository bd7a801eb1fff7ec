/** Requests in a send queue that software has drained (SQD): they wait for software, and no NIC is to blame (roce-transport.md 6.2). */

import { expect } from 'chai';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { drain } from '../../../sequences/user/changeDrained.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { MS, US } from '../../../uvm/kernel/time.ts';
import { type Played, play } from '../tests/harness.ts';

const ONE_RC = '+RC_QP_NUM=1';
const RESUMED = { state: QP_STATE.rts };

type Work = (this: UserSequence, connection: Connection) => Proc<void>;

function playWork(work: Work, line: string): Promise<Played> {
  class Held extends UserSequence {
    static readonly typeName = 'held';
    override readonly services = [QP_TYPE.rc, QP_TYPE.uc, QP_TYPE.ud];
    override connection(connection: Connection): Proc<void> {
      return work.call(this, connection);
    }
  }
  return play('test_sequence', `+UVM_TEST_SEQ=held +STALL_TIME=5ms ${line}`, 1, ({ factory }) => {
    factory.register('held', Held);
  });
}

/** A message that is posted in SQD, which software leaves `late` ps after that. */
function postedLate(late: number): Work {
  return function* ({ left, right }) {
    const [near, far] = [yield* left.source(100), yield* right.sink(100)];
    yield* right.receive(far);
    yield* drain(left);
    yield* left.send(near);
    yield* delay(late);
    yield* left.api.modifyQp(left.qp, RESUMED);
    this.expectSuccess(yield* left.sent(), 'SEND');
    this.expectSuccess(yield* right.received(), 'receive');
  };
}

describe('requests that wait in a drained send queue', () => {
  it('are carried out when software goes on, on all services, though that takes longer than the stall time', async () => {
    for (const late of [6 * MS, 6.25 * MS, 8 * MS]) {
      const run = await playWork(postedLate(late), '+RC_QP_NUM=1 +UC_QP_NUM=1 +UD_QP_NUM=1');
      expect(run.verdict, run.log).to.equal('passed');
    }
  });

  it('may be from before the command, as long as the NIC has not begun them', async () => {
    const run = await playWork(function* ({ left, right }) {
      const [near, far] = [yield* left.source(900_000), yield* right.sink(900_000)];
      for (let i = 0; i < 3; i++) yield* left.write(near, far);
      yield* delay(10 * US);
      yield* drain(left);
      yield* delay(8 * MS);
      yield* left.api.modifyQp(left.qp, RESUMED);
      for (let i = 0; i < 3; i++) this.expectSuccess(yield* left.sent(), 'WRITE');
    }, `${ONE_RC} +DATA_UNIT=MB +DATA_CNT=8`);
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('end the run with SCB_NOT_RESUMED when only software could go on, and blame no NIC', async () => {
    const run = await playWork(postedLate(1000 * MS), ONE_RC);
    expect(run.log).to.match(
      /UVM_FATAL .*\[SCB_NOT_RESUMED\] nothing has got on for 10ms, the run is given up: host 0/,
    );
    expect(run.log).to.match(/which waits in SQD.* Take queue pairs from SQD to RTS for what waits there/);
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_FATAL: 1 });
    expect(run.simulatedTimePs).to.be.below(100 * MS);
  });

  it('end it so as well when software waits for their completions, and nothing happens any more', async () => {
    const run = await playWork(function* ({ left, right }) {
      const [near, far] = [yield* left.source(100), yield* right.sink(100)];
      yield* drain(left);
      yield* left.write(near, far);
      yield* left.sent();
    }, ONE_RC);
    expect(run.signature?.id, run.log).to.equal('SCB_NOT_RESUMED');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_FATAL: 1 });
  });

  it('are no excuse for a NIC that does not complete what it has begun before', async () => {
    const run = await playWork(function* ({ left, right }) {
      const [near, far] = [yield* left.source(100), yield* right.sink(100)];
      // The ninth completion is lost.
      for (let i = 0; i < 9; i++) yield* left.write(near, far);
      yield* delay(50 * US);
      yield* left.api.modifyQp(left.qp, { state: QP_STATE.sqd });
      yield* left.write(near, far);
      yield* delay(8 * MS);
    }, `${ONE_RC} +DUT_FAULT=cqe_lost`);
    expect(run.signature?.id, run.log).to.equal('SCB_STUCK');
  });
});
