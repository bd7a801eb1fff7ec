/** Completion queues with more completions than they hold (roce-transport.md 5.5). */
import type { Cq } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { remake } from '../../user/remake.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 64;
const ENTRIES = 4;
const TOO_MANY = 7;
/** Longer than all requests of a case take. */
const LONG = 2 * MS;
const LONG_US = 2000;

/** Gives queue pairs one small queue, of their sends or of their receives. */
function* smallQueue(t: CaseBench, connections: readonly Connection[], of: 'sendCq' | 'recvCq'): Proc<Cq> {
  const sideOf = ({ left, right }: Connection): QpSide => (of === 'sendCq' ? left : right);
  const { api, qp } = sideOf(connections[0] as Connection);
  const small = yield* api.createCq(qp.process, { entries: ENTRIES });
  const change = { [of]: small };
  for (const connection of connections)
    yield* remake(connection, of === 'sendCq' ? [change, {}] : [{}, change], t.streamOf(connection, 'psns'));
  return small;
}

/** SENDs of all connections, of which software takes no completion before all have been carried out. */
function* fill(t: CaseBench, connections: readonly Connection[], each: number): Proc<void> {
  t.pollPause = LONG;
  for (const { left, right } of connections) {
    const [source, sink] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
    for (let i = 0; i < each; i++) yield* right.receive(sink);
    for (let i = 0; i < each; i++) yield* left.send(source);
  }
  yield* t.pause(2 * LONG_US);
}

/** The queue holds what was written first, and says once that it is in error; who needed it has stopped. */
function* expectOverflow(t: CaseBench, cq: Cq, stopped: readonly QpSide[]): Proc<void> {
  t.expectEqual('completions that were written', cq.produced, ENTRIES);
  t.expectEqual('events CQ_ERR', t.cqErrorsOf(cq), 1);
  let fatal = 0;
  for (const side of stopped) fatal += t.asyncEventsOf(side).filter((name) => name === 'QP_FATAL').length;
  t.expect(fatal >= 1, 'no queue pair has had a QP_FATAL event');
  for (const side of stopped) if (t.asyncEventsOf(side).includes('QP_FATAL')) yield* t.expectState('err', side);
}

function* one(t: CaseBench, of: 'sendCq' | 'recvCq'): Proc<void> {
  const connection = t.connectionAt(0);
  const cq = yield* smallQueue(t, [connection], of);
  yield* fill(t, [connection], TOO_MANY);
  yield* expectOverflow(t, cq, [of === 'sendCq' ? t.left : t.right]);
}

/** Several queue pairs of one process. */
function* several(t: CaseBench, of: 'sendCq' | 'recvCq'): Proc<void> {
  const sideOf = ({ left, right }: Connection): QpSide => (of === 'sendCq' ? left : right);
  const { process, host } = sideOf(t.connectionAt(0)).qp;
  const users = t.connections.filter((c) => sideOf(c).qp.process === process && sideOf(c).host === host);
  t.expect(users.length > 1, 'there is one connection of the process only; give +RC_QP_NUM=4');
  const cq = yield* smallQueue(t, users, of);
  yield* fill(t, users, TOO_MANY - 2);
  yield* expectOverflow(t, cq, users.map(sideOf));
}

export const OVERFLOWS = subject(['cqOverflow', 'events'], {
  *G094(t) {
    yield* one(t, 'sendCq');
  },
  *G095(t) {
    yield* several(t, 'sendCq');
  },
  *G096(t) {
    yield* one(t, 'recvCq');
  },
  *G097(t) {
    yield* several(t, 'recvCq');
  },
  *G386(t) {
    const other = t.connectionAt(1);
    yield* one(t, 'sendCq');
    t.pollPause = 0;
    const [source, sink] = [yield* other.left.source(BYTES), yield* other.right.sink(BYTES)];
    for (let i = 0; i < TOO_MANY; i++) {
      yield* other.right.receive(sink);
      yield* other.left.send(source);
      yield* t.sent('success', other.left);
      yield* t.received('success', other.right);
    }
    t.expectEqual('events of the other queue pair', t.asyncEventsOf(other.left).length, 0);
  },
  *T_078(t) {
    yield* one(t, 'sendCq');
    // What was there before can be taken; what finds no room, and what is flushed into the queue, is lost.
    for (let i = 0; i < ENTRIES; i++) yield* t.sent();
    t.expect(t.left.qp.sendCq.inError, 'the queue is not in error');
    t.expectEqual('completions that were taken', t.left.qp.sendCq.consumed, ENTRIES);
  },
});
