/** Queue pairs that software changes while they work (roce-transport.md 6.2): all of it is legal, and nobody complains. */

import { expect } from 'chai';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { QP_STATE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Connection } from '../../../sequences/user/connection.ts';
import type { QpSide } from '../../../sequences/user/qpSide.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { play } from '../tests/harness.ts';

type Drive = (sequence: Changes, connection: Connection) => Proc<void>;

class Changes extends UserSequence {
  static readonly typeName = 'changes';
  static drive: Drive;

  override *connection(connection: Connection): Proc<void> {
    yield* Changes.drive(this, connection);
  }

  /** Messages and READs in both directions. */
  *talk({ left, right }: Connection, length: number): Proc<void> {
    const reliable = left.qp.timeout > 0;
    for (const [from, to] of [[left, right] as const, [right, left] as const]) {
      const [source, sink, target] = [yield* from.source(length), yield* to.sink(length), yield* from.sink(length)];
      const remote = yield* to.source(length);
      yield* to.receive(sink);
      if (reliable) yield* from.read(target, remote);
      yield* from.send(source);
    }
    for (const side of [left, right]) {
      if (reliable) this.expectSuccess(yield* side.sent(), 'READ');
      this.expectSuccess(yield* side.sent(), 'SEND');
      this.expectSuccess(yield* side.received(), 'receive');
    }
  }
}

const US = 1_000_000;
const { rts, sqd, err } = QP_STATE;

/** Changes a drained queue pair, which then goes on. */
function* change(side: QpSide, attributes: Partial<QpAttributes>): Proc<void> {
  yield* side.api.modifyQp(side.qp, { state: sqd });
  yield* side.api.modifyQp(side.qp, { state: sqd, ...attributes });
  yield* side.api.modifyQp(side.qp, { state: rts });
}

/** @param ids errors that are reported all the same */
async function expectClean(options: string, drive: Drive): Promise<void> {
  Changes.drive = drive;
  const service = options.includes('UC_QP_NUM') ? '+RC_QP_NUM=0' : '+RC_QP_NUM=1';
  const line = `+UVM_TEST_SEQ=changes ${service} ${options}`;
  const played = await play('test_sequence', line, 1, ({ factory }) => factory.register(Changes.typeName, Changes));
  const found = [...played.log.matchAll(/^UVM_(?:ERROR|FATAL) @.*?\[(\w+)\]/gm)].map(([, id]) => id);
  expect(found, played.log).to.deep.equal([]);
}

describe('a queue pair that software changes', () => {
  for (const [service, options] of Object.entries({ RC: '', UC: '+UC_QP_NUM=1' })) {
    it(`takes another path, on ${service}`, () =>
      expectClean(options, function* (sequence, connection) {
        yield* sequence.talk(connection, 5000);
        yield* delay(100 * US);
        const { left, right } = connection;
        const values = { trafficClass: 96, flowLabel: 0x34567, hopLimit: 7 };
        yield* change(left, { av: { remoteHost: right.host, ...values } });
        yield* sequence.talk(connection, 5000);
        yield* delay(100 * US);
        yield* change(right, { av: { remoteHost: left.host, flowLabel: 3 } });
        yield* sequence.talk(connection, 5000);
      }));
  }

  it('answers what it was asked before, on either path', () =>
    expectClean('', function* (sequence, { left, right }) {
      const [remote, target] = [yield* right.source(1_000_000), yield* left.sink(1_000_000)];
      yield* left.read(target, remote);
      yield* delay(10 * US);
      yield* change(right, { av: { remoteHost: left.host, trafficClass: 32, flowLabel: 9 } });
      sequence.expectSuccess(yield* left.sent(), 'READ');
    }));

  it('asks for another time when it is not ready', () =>
    expectClean('', function* (sequence, { left, right }) {
      for (const minRnrTimer of [9, 12, 4]) {
        const [source, sink] = [yield* left.source(100), yield* right.sink(100)];
        yield* left.send(source);
        yield* right.api.modifyQp(right.qp, { state: rts, minRnrTimer });
        yield* delay(1000 * US);
        yield* right.receive(sink);
        sequence.expectSuccess(yield* left.sent(), 'SEND');
        sequence.expectSuccess(yield* right.received(), 'receive');
      }
    }));

  it('has more READs outstanding', () =>
    expectClean('+MAX_RD_ATOMIC=1', function* (sequence, { left, right }) {
      const [remote, target] = [yield* right.source(9000), yield* left.sink(9000)];
      yield* change(right, { maxDestRdAtomic: 4 });
      yield* change(left, { maxRdAtomic: 4 });
      for (let i = 0; i < 6; i++) yield* left.read(target, remote);
      for (let i = 0; i < 6; i++) sequence.expectSuccess(yield* left.sent(), 'READ');
    }));

  it('loses patience sooner, as far as the wire shows', () => {
    const drive: Drive = function* (_sequence, { left, right }) {
      const source = yield* left.source(100);
      yield* change(left, { timeout: 5 });
      yield* right.api.modifyQp(right.qp, { state: err });
      yield* left.send(source);
      expect((yield* left.sent()).status).to.equal(WC_STATUS.retryExcErr);
    };
    return expectClean('+ACK_TIMEOUT=14', drive);
  });

  it('tries as often as it was told last', () =>
    expectClean('+RETRY_CNT=1 +ACK_TIMEOUT=5', function* (_sequence, { left, right }) {
      const source = yield* left.source(100);
      yield* change(left, { retryCnt: 5 });
      yield* right.api.modifyQp(right.qp, { state: err });
      yield* left.send(source);
      expect((yield* left.sent()).status).to.equal(WC_STATUS.retryExcErr);
    }));

  it('gives up sooner when its peer is not ready', () =>
    expectClean('', function* (_sequence, { left }) {
      const source = yield* left.source(100);
      yield* change(left, { rnrRetry: 1 });
      yield* left.send(source);
      expect((yield* left.sent()).status).to.equal(WC_STATUS.rnrRetryExcErr);
    }));
});
