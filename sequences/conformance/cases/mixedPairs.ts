/** Queue pairs of different types, and what must not disturb others: destruction under traffic, bursts that find no receives. */
import { QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { connectAgain, keptBy, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';
import { IMPATIENT } from './states.ts';

const BYTES = 200;
/** Several packets at any path MTU. */
const LONG = 20_000;

/** A SEND that arrives, on a reliable connection or as a datagram. */
function* arrives(t: CaseBench, { left, right }: Connection): Proc<void> {
  yield* right.receive(yield* right.sink(BYTES));
  yield* left.send(yield* left.source(BYTES));
  yield* t.sent('success', left);
  yield* t.received('success', right);
}

export const OTHER_TYPES = subject(['naks', 'ud'], {
  *G378(t) {
    const [{ left, right }, datagrams] = [t.connectionOn(QP_TYPE.rc), t.connectionOn(QP_TYPE.ud)];
    yield* datagrams.right.receive(yield* datagrams.right.sink(BYTES));
    yield* resetBoth(left, right);
    yield* takeSteps(left, reconnection(left, datagrams.right, { ...IMPATIENT, psn: 0 }, 0));
    yield* left.send(yield* left.source(BYTES));
    yield* t.sent('retryExcErr', left);
    t.expectEqual('receives of the UD queue pair', datagrams.right.qp.recvOutstanding, 1);
    yield* t.expectState('rts', datagrams.right);
    yield* datagrams.left.send(yield* datagrams.left.source(BYTES));
    yield* t.sent('success', datagrams.left);
    yield* t.received('success', datagrams.right);
  },
  *G379(t) {
    const [reliable, { left }] = [t.connectionOn(QP_TYPE.rc), t.connectionOn(QP_TYPE.ud)];
    const { right } = reliable;
    yield* right.receive(yield* right.sink(BYTES));
    yield* t.post(left, { opcode: WR_OPCODE.send, data: yield* left.source(BYTES), remoteQpn: right.qp.qpn });
    yield* t.sent('success', left);
    yield* t.quiet();
    t.expectEqual('receives of the RC queue pair', right.qp.recvOutstanding, 1);
    yield* reliable.left.send(yield* reliable.left.source(BYTES));
    yield* t.sent('success', reliable.left);
    yield* t.received('success', right);
  },
});

/** A burst of datagrams, most of which find no receive; the traffic behind them works. */
export const BURSTS = subject(['ud'], {
  *G405(t) {
    const { left, right } = t;
    const [data, into] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
    const [depth, batch] = [right.qp.maxRecvWr, left.qp.maxSendWr];
    const count = Math.max(1024, 4 * depth);
    for (let i = 0; i < depth; i++) yield* right.receive(into);
    for (let sent = 0; sent < count; sent += batch) {
      for (let i = 0; i < batch; i++) yield* left.send(data);
      for (let i = 0; i < batch; i++) yield* t.sent();
    }
    yield* t.quiet();
    t.expectEqual('receives that are left', right.qp.recvOutstanding, 0);
    for (let i = 0; i < depth; i++) yield* t.received();
    for (let i = 0; i < 4; i++) yield* arrives(t, t.connectionAt(0));
  },
});

const ROUNDS = 12;
const BACKLOG = 12;

/** The responder of many READs is destroyed, again and again, while another connection of the same hosts reads. */
export const DESTRUCTION = subject(['naks'], {
  *G362(t) {
    const [target, canary] = [t.connectionAt(0), t.connectionAt(1)];
    const random = t.streamOf(target, 'destruction');
    const kept = { ...keptBy(target.left.qp), ...IMPATIENT, mtu: t.values.MTU };
    const [into, remote] = [yield* target.left.sink(LONG), yield* target.right.source(LONG)];
    let goesOn = true;
    let sung = 0;
    const singing = t.run.processes.spawn(
      'canary',
      (function* (): Proc<void> {
        const [copy, song] = [yield* canary.left.sink(LONG), yield* canary.right.source(LONG)];
        for (; goesOn; sung++) {
          yield* canary.left.read(copy, song);
          yield* t.sent('success', canary.left);
          const [found, wanted] = [canary.left.contents(copy), canary.right.contents(song)];
          t.expect(Buffer.compare(found, wanted) === 0, 'the READ of the other connection has brought other bytes');
        }
      })(),
    );
    let ended = 0;
    for (let round = 0; round < ROUNDS; round++) {
      yield* resetBoth(target.left, target.right);
      yield* connectAgain(target.left, target.right, random, kept);
      for (let i = 0; i < BACKLOG; i++) yield* target.left.read(into, remote);
      yield* t.pause(random.range(0, 8));
      yield* target.right.renew();
      let failed = false;
      for (let i = 0; i < BACKLOG; i++) {
        const { status } = yield* t.oneOf(target.left.sent(), 'success', 'retryExcErr', 'wrFlushErr');
        t.expect(!(failed && status === 0), 'a READ succeeds behind one that has failed');
        failed ||= status !== 0;
      }
      if (failed) ended++;
    }
    goesOn = false;
    yield* joinAll([singing]);
    t.expect(ended > 0, 'no READ was outstanding when its responder was destroyed');
    t.expect(sung > 0, 'the other connection has read nothing');
  },
});
