/** Receives that queue pairs share (roce-transport.md 6.1, 6.5). */
import { RecvWr } from '../../../agents/verbs/verbsItems.ts';
import type { SrqRequest } from '../../../env/verbs/srq/srqRequests.ts';
import type { Pd, Srq } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS, QP_STATE } from '../../../rdma/verbs.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { remake } from '../../user/remake.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 300;
const ROOM: SrqRequest = { maxWr: 15, maxSge: 4 };
const LIMIT = 4;
/** SENDs of each queue pair that shares with others. */
const EACH = 8;
/** SENDs of the long case, and their bytes: a few words that differ. */
const MANY = 50_000;
const SHORT = 16;

/** A queue of the process of the first right side, in the domain of that or in another one. */
function* queue(t: CaseBench, request = ROOM, pd: Pd = t.right.qp.pd): Proc<Srq> {
  return yield* t.right.api.createSrq(pd, request);
}

/** The right sides of connections take their receives from a queue from now on. */
function* share(t: CaseBench, srq: Srq, connections: readonly Connection[]): Proc<void> {
  for (const connection of connections) yield* remake(connection, [{}, { srq }], t.streamOf(connection, 'psns'));
}

/** A queue that the right sides of `count` connections of one process share. */
function* shared(t: CaseBench, count = 1, request = ROOM): Proc<readonly [Srq, readonly Connection[]]> {
  const srq = yield* queue(t, request);
  const users = neighbours(t).slice(0, count);
  t.expectEqual('connections of one process', users.length, count);
  yield* share(t, srq, users);
  return [srq, users];
}

/** Connections whose right sides are of the process of the first one. */
function neighbours(t: CaseBench): readonly Connection[] {
  const { host, process } = t.right.qp;
  return t.connections.filter(({ right }) => right.host === host && right.qp.process === process);
}

/** A message that must arrive in the receive that was posted first. */
function* message(t: CaseBench, { left, right }: Connection, data: RegisteredBuffer, receive?: number): Proc<void> {
  yield* left.send(data);
  yield* t.sent('success', left);
  const { wrId } = yield* t.received('success', right);
  if (receive !== undefined) t.expectEqual('receive that the message has taken', wrId, receive);
}

function wrsOf(count: number, entries: readonly RegisteredBuffer[]): RecvWr[] {
  return Array.from({ length: count }, () => {
    const wr = new RecvWr();
    wr.setNumSge(entries.length);
    for (const [g, entry] of entries.entries()) entry.fill(wr.sges[g] as RecvWr['sges'][number]);
    return wr;
  });
}

/** A message into a receive whose region is in the domain of the queue, or in that of the queue pair, which is another. */
function* acrossDomains(t: CaseBench, ofQueue: boolean): Proc<RegisteredBuffer> {
  const pd = t.right.api.allocPd(t.right.qp.process);
  const srq = yield* queue(t, ROOM, pd);
  yield* share(t, srq, [t.connectionAt(0)]);
  const sink = yield* t.region(t.right, BYTES, ACCESS.localWrite, ofQueue ? pd : t.right.qp.pd);
  yield* t.right.receive(sink);
  return yield* t.left.source(BYTES);
}

/** Every queue pair gets its own messages, whose bytes tell whose they are; the scoreboard compares each with its source. */
function* multiplexed(t: CaseBench, connections: readonly Connection[], immediate: boolean): Proc<void> {
  const work = connections.map(function* (connection): Proc<void> {
    const { left, right } = connection;
    const source = yield* left.source(BYTES * EACH);
    const target = immediate ? yield* right.sink(BYTES) : null;
    const sinks = (yield* right.sink(BYTES * EACH)).split(EACH);
    for (const [i, data] of source.split(EACH).entries()) {
      yield* right.receive(sinks[i] as RegisteredBuffer);
      if (target === null) yield* left.send(data, { imm: connection.index * EACH + i });
      else yield* left.write(data, target, { imm: connection.index * EACH + i });
    }
    for (let i = 0; i < EACH; i++) {
      yield* t.sent('success', left);
      const { imm } = yield* t.received('success', right);
      t.expectEqual(`tag of message ${i} to ${right.qp.qpn}`, imm, connection.index * EACH + i);
    }
  });
  const started = work.map((each, i) => t.run.processes.spawn(`sharing${i}`, each));
  yield* joinAll(started);
}

/** The limit is reached when fewer are left than it says, once, and can be asked for again. */
function* limits(t: CaseBench): Proc<void> {
  const [srq, [connection]] = yield* shared(t);
  const { api } = t.right;
  const [source, sink] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
  for (let i = 0; i < LIMIT + 4; i++) yield* t.right.receive(sink);
  yield* api.modifySrq(srq, { limit: LIMIT });
  const take = (): Proc<void> => message(t, connection as Connection, source);
  while (srq.outstanding > LIMIT) yield* take();
  yield* t.quiet();
  t.expectEqual('events with as many receives as the limit', t.srqLimitsOf(srq), 0);
  yield* take();
  yield* t.quiet();
  t.expectEqual('events with fewer', t.srqLimitsOf(srq), 1);
  t.expectEqual('limit that is asked for behind its event', (yield* api.querySrq(srq)).limit, 0);
  yield* take();
  yield* t.quiet();
  t.expectEqual('events behind the first', t.srqLimitsOf(srq), 1);
  yield* api.modifySrq(srq, { limit: LIMIT });
  yield* take();
  yield* t.quiet();
  t.expectEqual('events when it is asked for again', t.srqLimitsOf(srq), 2);
}

/** Receives cannot be posted to a queue pair that shares them. */
function* refusesOwn(t: CaseBench): Proc<void> {
  yield* shared(t);
  const call = () => t.postReceives(t.right, wrsOf(1, []));
  yield* t.expectRefusedCall('a receive of its own', call, 'UNSUPPORTED');
  t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, 0);
}

export const SHARED_RECEIVES = subject(['sharedReceives'], {
  *T_070(t) {
    const [, users] = yield* shared(t, 2);
    const [one, other] = users as readonly [Connection, Connection];
    const turns = [one, other, other, one, one, other, one, other, other, one];
    const sinks = (yield* one.right.sink(BYTES * turns.length)).split(turns.length);
    const sources = new Map<Connection, RegisteredBuffer>();
    for (const each of users) sources.set(each, yield* each.left.source(BYTES));
    for (const sink of sinks) yield* one.right.receive(sink);
    for (const [i, each] of turns.entries()) yield* message(t, each, sources.get(each) as RegisteredBuffer, i);
  },
  *T_073(t) {
    yield* refusesOwn(t);
  },
  *G324(t) {
    yield* refusesOwn(t);
  },
  *G111(t) {
    const { api } = t.right;
    const made: Srq[] = [];
    const { maxSrqs } = api.device;
    for (let i = 0; i < maxSrqs; i++) made.push(yield* queue(t));
    t.expect(new Set(made.map(({ srqn }) => srqn)).size === maxSrqs, 'two queues have one number');
    yield* t.expectRefusedCall('one queue more', () => queue(t), 'LIMIT');
    for (const srq of made) yield* api.destroySrq(srq);
  },
  *G173(t) {
    const { api, qp } = t.right;
    const pd = api.allocPd(qp.process);
    const srq = yield* queue(t, ROOM, pd);
    yield* t.expectRefusedCall('a domain with a shared receive queue', () => api.deallocPd(pd), 'IN_USE');
    yield* api.destroySrq(srq);
    api.deallocPd(pd);
  },
  *G192(t) {
    const { api, qp } = t.right;
    const srq = yield* queue(t, ROOM, api.allocPd(qp.process));
    yield* share(t, srq, [t.connectionAt(0)]);
    t.expect(t.right.qp.srq === srq && t.right.qp.pd !== srq.pd, 'queue and queue pair are of one domain');
    yield* t.expectState('rts', t.right);
  },
  *G193(t) {
    yield* message(t, t.connectionAt(0), yield* acrossDomains(t, true));
  },
  *G195(t) {
    const source = yield* acrossDomains(t, true);
    const target = yield* t.right.sink(BYTES);
    yield* t.left.write(source, target, { imm: 7 });
    yield* t.sent();
    t.expectEqual('immediate', (yield* t.received()).imm, 7);
  },
  *G320(t) {
    const { api } = t.right;
    const srq = yield* queue(t);
    t.expect(srq.maxWr >= ROOM.maxWr && srq.maxSge >= ROOM.maxSge, 'it is smaller than was asked for');
    yield* api.destroySrq(srq);
    t.expect(!srq.alive, 'the queue is still there');
  },
  *G323(t) {
    const [srq] = yield* shared(t);
    t.expect(t.right.qp.srq === srq, 'the queue pair says nothing of its queue');
    yield* t.expectRefusedCall('destroying a queue in use', () => t.right.api.destroySrq(srq), 'IN_USE');
  },
  *G325(t) {
    const [srq] = yield* shared(t);
    const { api } = t.right;
    const wrs = wrsOf(srq.maxWr, [yield* t.right.sink(BYTES)]);
    yield* api.postSrqRecv(srq, wrs, srq.maxWr);
    t.expectEqual('receives that are outstanding', srq.outstanding, srq.maxWr);
    yield* t.quiet();
  },
  *G326(t) {
    const srq = yield* queue(t);
    const wrs = wrsOf(srq.maxWr + 1, []);
    const post = () => t.right.api.postSrqRecv(srq, wrs, wrs.length);
    yield* t.expectRefusedAt('one receive more than it holds', post, srq.maxWr);
  },
  *G327(t) {
    const [srq, [connection]] = yield* shared(t);
    const sinks = (yield* t.right.sink(BYTES)).split(srq.maxSge);
    yield* t.right.receive(sinks);
    yield* message(t, connection as Connection, yield* t.left.source(BYTES - (BYTES % srq.maxSge)));
  },
  *G328(t) {
    const srq = yield* queue(t);
    const sink = yield* t.right.sink(BYTES);
    const wrs = wrsOf(2, [sink]);
    (wrs[1] as RecvWr).setNumSge(srq.maxSge + 1);
    yield* t.expectRefusedAt('one entry more', () => t.right.api.postSrqRecv(srq, wrs, 2), 1);
    t.expectEqual('receives that are posted', srq.outstanding, 1);
  },
  *G329(t) {
    const { maxSrqWr, maxSrqSge } = t.right.api.device;
    for (const request of [
      { maxWr: maxSrqWr, maxSge: 1 },
      { maxWr: 1, maxSge: maxSrqSge },
    ]) {
      const srq = yield* queue(t, request);
      t.expect(srq.maxWr >= request.maxWr && srq.maxSge >= request.maxSge, 'it is smaller than was asked for');
      yield* t.right.api.destroySrq(srq);
    }
  },
  *G330(t) {
    const { maxSrqWr } = t.right.api.device;
    yield* t.expectRefusedCall('a deeper queue', () => queue(t, { maxWr: maxSrqWr + 1, maxSge: 1 }), 'LIMIT');
  },
  *G331(t) {
    const { maxSrqSge } = t.right.api.device;
    yield* t.expectRefusedCall('longer lists', () => queue(t, { maxWr: 1, maxSge: maxSrqSge + 1 }), 'LIMIT');
  },
  *G334(t) {
    const [, [connection]] = yield* shared(t);
    const [source, sink] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    yield* t.right.receive(sink);
    yield* message(t, connection as Connection, source, 0);
    t.expect(Buffer.compare(t.left.contents(source), t.right.contents(sink)) === 0, 'other bytes have arrived');
  },
  *G335(t) {
    const [, [connection]] = yield* shared(t);
    const sources = (yield* t.left.source(SHORT * 64)).split(64);
    const sink = yield* t.right.sink(SHORT);
    for (let i = 0; i < MANY; i++) {
      yield* t.right.receive(sink);
      yield* message(t, connection as Connection, sources[i % sources.length] as RegisteredBuffer, i);
    }
  },
  *G339(t) {
    const [, users] = yield* shared(t, 10, { maxWr: 127, maxSge: 4 });
    yield* multiplexed(t, users, false);
  },
  *G340(t) {
    const [, users] = yield* shared(t, 10, { maxWr: 127, maxSge: 4 });
    yield* multiplexed(t, users, true);
  },
  *G342(t) {
    const [, users] = yield* shared(t, neighbours(t).length, { maxWr: 255, maxSge: 4 });
    yield* multiplexed(t, users, false);
  },
  *G343(t) {
    const users = neighbours(t);
    const queues = [yield* queue(t), yield* queue(t), yield* queue(t)];
    for (const [i, connection] of users.entries()) yield* share(t, queues[i % queues.length] as Srq, [connection]);
    yield* multiplexed(t, users, false);
  },
});

export const SHARED_RECEIVE_EVENTS = subject(['sharedReceives', 'events'], {
  *T_071(t) {
    yield* limits(t);
  },
  *G337(t) {
    yield* limits(t);
  },
  *T_072(t) {
    const [srq, users] = yield* shared(t, 2);
    const [failing, other] = users as readonly [Connection, Connection];
    const { api, qp } = failing.right;
    const sink = yield* other.right.sink(BYTES);
    for (let i = 0; i < 3; i++) yield* other.right.receive(sink);
    yield* api.modifyQp(qp, { state: QP_STATE.err });
    yield* t.expectAsyncEvent('lastWqeReached', failing.right);
    t.expectEqual('receives that are left', srq.outstanding, 3);
    yield* message(t, other, yield* other.left.source(BYTES), 0);
    yield* t.expectState('rts', other.right);
  },
});

export const SHARED_RECEIVE_ERRORS = subject(['sharedReceives', 'naks'], {
  *G194(t) {
    yield* t.left.send(yield* acrossDomains(t, false));
    yield* t.sent('remOpErr');
    yield* t.received('locProtErr');
  },
  *G336(t) {
    const [srq, users] = yield* shared(t, 2);
    const [failing, other] = users as readonly [Connection, Connection];
    const sink = yield* other.right.sink(BYTES);
    for (let i = 0; i < 3; i++) yield* other.right.receive(sink.part(0, i === 0 ? 1 : BYTES));
    yield* failing.left.send(yield* failing.left.source(BYTES));
    yield* t.sent('remInvReqErr', failing.left);
    yield* t.received('locLenErr', failing.right);
    yield* t.quiet();
    t.expectEqual('receives that are left', srq.outstanding, 2);
    for (let i = 1; i < 3; i++) yield* message(t, other, yield* other.left.source(BYTES), i);
  },
  *G338(t) {
    yield* shared(t);
    const sink = yield* t.right.sink(BYTES);
    const before = Buffer.from(t.right.contents(sink));
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent('rnrRetryExcErr');
    yield* t.quiet();
    t.expect(Buffer.compare(before, t.right.contents(sink)) === 0, 'memory has changed');
  },
});
