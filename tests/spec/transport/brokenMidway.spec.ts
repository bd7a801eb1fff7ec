/** Queue pairs that leave their state by themselves while software works on them (roce-transport.md 6.2, 6.3). */

import { expect } from 'chai';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import { NO_KEY } from '../../../sequences/user/memory/registeredBuffer.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import { type Played, play } from '../tests/harness.ts';

const AGAIN = { state: QP_STATE.rts, minRnrTimer: 3 };
const AGAIN_FROM_SQE = { state: QP_STATE.rts, curState: QP_STATE.sqe };

/** WRITEs that follow a recovery: more than a false error of the NIC needs to act. */
const WRITES = 12;

type Work = (this: UserSequence, connection: Connection) => Proc<void>;

function playWork(work: Work, line: string): Promise<Played> {
  class Broken extends UserSequence {
    static readonly typeName = 'broken';
    override connection(connection: Connection): Proc<void> {
      return work.call(this, connection);
    }
  }
  return play('test_sequence', `+UVM_TEST_SEQ=broken ${line}`, 1, ({ factory }) => factory.register('broken', Broken));
}

/** What the host API throws, or nothing. */
function* thrownBy(work: Proc<void>): Proc<HostApiError | undefined> {
  try {
    yield* work;
    return undefined;
  } catch (error) {
    if (error instanceof HostApiError) return error;
    throw error;
  }
}

/** A UC queue pair that is taken out of SQE while a WRITE is posted, and used after that. Fills in how its WRITEs ended. */
function recovered(wait: number, statuses: number[], key?: number): Work {
  return function* ({ left, right }) {
    const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
    yield* left.write(source.withKey(NO_KEY), sink);
    (yield* left.sent()).expected();
    const recovery = this.run.processes.spawn('recovery', left.api.modifyQp(left.qp, AGAIN_FROM_SQE));
    yield* delay(wait);
    yield* left.write(key === undefined ? source : source.withKey(key), sink);
    yield* joinAll([recovery]);
    for (let i = 0; i < WRITES; i++) yield* left.write(source, sink);
    for (let i = 0; i <= WRITES; i++) {
      const ended = yield* left.sent();
      ended.expected();
      statuses.push(ended.status);
    }
  };
}

describe('software that changes a queue pair which its peer breaks', () => {
  it('is told by an error that it can catch, finds the state in the queue pair, and no attribute changed', async () => {
    const texts: string[] = [];
    const run = await playWork(function* ({ index, left, right }) {
      const [source, target] = [yield* left.source(64), yield* right.sink(64)];
      yield* left.write(source, target.withKey(NO_KEY));
      yield* delay(index * 200 * NS);
      const before = right.qp.minRnrTimer;
      const error = yield* thrownBy(right.api.modifyQp(right.qp, AGAIN));
      (yield* left.sent()).expected();
      if (error === undefined) return;
      texts.push(`${error.kind}: ${error.message}`);
      expect(right.qp.state).to.equal(QP_STATE.err);
      expect(right.qp.minRnrTimer).to.equal(before);
    }, '+RC_QP_NUM=12');
    expect(run.verdict, run.log).to.equal('passed');
    const text =
      /^STATE: host 1 RC QP \d+: went to ERR by itself before it came to RTS; its completions say why; take it/;
    expect(texts.filter((each) => text.test(each))).not.to.be.empty; // the others: ERR was known before
  });

  it('keeps knowing that it is in ERR when the command ends after its error completion was taken', async () => {
    const states: number[] = [];
    const run = await playWork(function* (this: UserSequence, { left, right }) {
      const [source, target] = [yield* left.source(64), yield* right.sink(64)];
      for (let wait = 0; wait < 30; wait++) {
        if (left.qp.state !== QP_STATE.rts) break;
        yield* left.write(source, target);
        yield* delay(wait * 100 * NS);
        if (wait === 12) yield* left.write(source, target.withKey(NO_KEY));
        yield* thrownBy(left.api.modifyQp(left.qp, AGAIN));
      }
      yield* delay(20 * US);
      states.push(left.qp.state, (yield* left.api.queryQp(left.qp)).state);
    }, '+RC_QP_NUM=1');
    expect(run.counts, run.log).to.include({ UVM_ERROR: 0, UVM_FATAL: 0 });
    expect(states).to.deep.equal([QP_STATE.err, QP_STATE.err]);
  });

  it('is a fault of the NIC when the queue pair is in the state that software believes', async () => {
    const run = await play(
      'test_sequence',
      '+UVM_TEST_SEQ=changed_attributes +RC_QP_NUM=2 +DUT_FAULT=change_refused',
      1,
    );
    expect(run.log).to.contain('[HCA_CMD_STATUS]');
  });
});

describe('a send queue that has stopped', () => {
  const lost: QpAttributes = { state: QP_STATE.rts };

  it('is not taken for stopped again by completions of before its recovery, which are taken late', async () => {
    class Late extends UserSequence {
      static readonly typeName = 'late';
      override readonly services = [QP_TYPE.uc, QP_TYPE.ud];
      override pollDelay(): number {
        return 50 * US;
      }
      override *connection({ left, right }: Connection): Proc<void> {
        const [source, sink] = [yield* left.source(64), yield* right.sink(64)];
        yield* right.receive(sink);
        yield* left.send(source.withKey(NO_KEY));
        yield* delay(10 * US);
        expect((yield* left.api.queryQp(left.qp)).state).to.equal(QP_STATE.sqe);
        yield* left.api.modifyQp(left.qp, lost);
        this.expectStatus(yield* left.sent(), WC_STATUS.locProtErr, 'SEND without a key');
        expect(left.qp.state).to.equal(QP_STATE.rts);
        yield* left.send(source);
        this.expectSuccess(yield* left.sent(), 'SEND after the recovery');
        // Requests that failed have no sequence numbers.
        yield* left.api.queryQp(left.qp);
        this.expectSuccess(yield* right.received(), 'receive');
      }
    }
    const line = '+UVM_TEST_SEQ=late +UC_QP_NUM=1 +UD_QP_NUM=1 +RC_QP_NUM=0';
    const run = await play('test_sequence', line, 1, ({ factory }) => factory.register('late', Late));
    expect(run.verdict, run.log).to.equal('passed');
  });

  const resumed = '+UC_QP_NUM=1 +RC_QP_NUM=0';

  it('is judged again once what was posted during its recovery has completed', async () => {
    for (const wait of [200 * NS, 1200 * NS, 3 * US, 20 * US]) {
      const statuses: number[] = [];
      const run = await playWork(recovered(wait, statuses), `${resumed} +DUT_FAULT=cqe_false_error`);
      expect(run.signature?.id, run.log).to.equal('SCB_STATUS');
    }
  });

  it('may flush what was posted during its recovery, and carries out what is posted behind that', async () => {
    for (let wait = 0; wait < 3 * US; wait += 250 * NS) {
      const statuses: number[] = [];
      const run = await playWork(recovered(wait, statuses), resumed);
      expect(run.verdict, run.log).to.equal('passed');
      expect(statuses.slice(1)).to.deep.equal(Array.from({ length: WRITES }, () => WC_STATUS.success));
    }
  });

  it('may stop again for what was posted during its recovery, and flushes what is behind that', async () => {
    for (let wait = 0; wait < 3 * US; wait += 250 * NS) {
      const statuses: number[] = [];
      const run = await playWork(recovered(wait, statuses, NO_KEY), resumed);
      expect(run.counts, run.log).to.include({ UVM_ERROR: 0, UVM_FATAL: 0 });
    }
  });
});
