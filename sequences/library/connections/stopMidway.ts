import { RNR_RETRY_FOR_EVER } from '../../../rdma/timers.ts';
import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { drain } from '../../user/changeDrained.ts';
import type { Completion } from '../../user/completion.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a READ whose answer takes much longer than `HEAD_START`. */
const LONG = 300_000;
const HEAD_START = 8 * US;
/** Time for what must not happen; also for what usually has ended by then. */
const LONG_ENOUGH = 100 * US;
/** SENDs before and after the queue is drained, and their length. */
const SENDS = 6;
/** Queues are drained at once, or so many us later: in front of the first message, in one, or behind the last. */
const DRAIN_SPREAD = 12;
const DRAIN_STEP = 5;
/** When a SEND without a receive has been refused, us, and by how much the moments differ. */
const REFUSED = 3;
const REFUSED_SPREAD = 10;
const SHORT = 200;
const SEVERAL_PACKETS = 20_000;
/** Most requests behind one that fails: more than a NIC has fetched by then. */
const BEHIND = 25;

type Stop = typeof QP_STATE.err | typeof QP_STATE.reset;
type Case = readonly [what: string, play: (connection: Connection) => Proc<Completion>, status: number];

const DRAIN: Case = ['SEND posted while the queue is drained', sendDrained, WC_STATUS.success];
const CASES: readonly Case[] = [
  ['READ whose responder goes to ERR', (c) => readUntil(c, QP_STATE.err), WC_STATUS.wrFlushErr],
  ['READ whose responder is reset', (c) => readUntil(c, QP_STATE.reset), WC_STATUS.wrFlushErr],
  ['READ whose region goes', readWithdrawn, WC_STATUS.remAccessErr],
  DRAIN,
  ['receive posted in ERR, behind a ring full of others', receiveStopped, WC_STATUS.wrFlushErr],
  ['READ to a queue pair that answers none', readUnanswered, WC_STATUS.remInvReqErr],
  ['WRITE to a region that is deregistered, with others behind it', writesBehind, WC_STATUS.remAccessErr],
  ['WRITE whose region goes', writeWithdrawn, WC_STATUS.remAccessErr],
  ['WRITE whose responder goes to ERR', (c) => requestUntilError(c, false), WC_STATUS.wrFlushErr],
  ['SEND that was refused when the queue is drained', drainRefused, WC_STATUS.success],
  ['SEND whose responder goes to ERR', (c) => requestUntilError(c, true), WC_STATUS.wrFlushErr],
];

/**
 * Queue pairs that software stops in the middle of their work, one case on each connection: nothing may come from them
 * any more, and their peers must find out by themselves. With eleven RC connections every case is played; other services
 * only have a send queue to drain.
 */
export class StopMidway extends UserSequence {
  static readonly typeName: string = 'stop_midway';
  static readonly description: string = 'queue pairs that are stopped during traffic; +RC_QP_NUM=11 plays all cases';
  override readonly needs = { capabilities: ['sqd', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const cases = connection.type === QP_TYPE.rc ? CASES : [DRAIN];
    const [what, play, status] = cases[connection.index % cases.length] as Case;
    const completion = yield* play(connection);
    // Where many connections share the command interface, all may be over before the stop.
    if (completion.status !== WC_STATUS.success) this.expectStatus(completion, status, what);
  }
}

/** A READ whose responder is taken to a state when its answer has begun; its requester gives up later. */
function* readUntil(connection: Connection, state: Stop): Proc<Completion> {
  const { left, right } = connection;
  const source = yield* right.source(LONG);
  const sink = yield* left.sink(LONG);
  yield* left.read(sink, source);
  return yield* stopped(connection, state);
}

/** What becomes of the request of the left side that is under way when the right side is taken to a state. */
function* stopped({ left, right }: Connection, state: Stop): Proc<Completion> {
  yield* delay(HEAD_START);
  yield* right.api.modifyQp(right.qp, { state });
  yield* delay(LONG_ENOUGH);
  yield* left.api.modifyQp(left.qp, { state: QP_STATE.err });
  return yield* left.sent();
}

/** A READ whose region is deregistered when its answer has begun: the rest of it is refused. */
function* readWithdrawn({ left, right }: Connection): Proc<Completion> {
  const source = yield* right.source(LONG);
  const sink = yield* left.sink(LONG);
  yield* left.read(sink, source);
  yield* delay(HEAD_START);
  yield* right.deregister(source);
  return yield* left.sent();
}

/** A WRITE whose region is deregistered when its first bytes are there: the rest of it is refused. */
function* writeWithdrawn({ left, right }: Connection): Proc<Completion> {
  const source = yield* left.source(LONG);
  const sink = yield* right.sink(LONG);
  yield* left.write(source, sink);
  yield* delay(HEAD_START);
  yield* right.deregister(sink);
  return yield* left.sent();
}

/** A WRITE, or a SEND, whose responder is taken to ERR when its first bytes are there; its requester gives up later. */
function* requestUntilError(connection: Connection, send: boolean): Proc<Completion> {
  const { left, right } = connection;
  const source = yield* left.source(LONG);
  const sink = yield* right.sink(LONG);
  if (send) {
    yield* right.receive(sink);
    yield* left.send(source);
  } else yield* left.write(source, sink);
  const sent = yield* stopped(connection, QP_STATE.err);
  if (send) (yield* right.received()).expected();
  return sent;
}

/**
 * SENDs, and on RC a long READ, that are posted before the send queue is drained, and SENDs that are posted after: the
 * latter wait until it goes on.
 */
function* sendDrained({ index, left, right, type }: Connection): Proc<Completion> {
  const length = type === QP_TYPE.ud ? SHORT : SEVERAL_PACKETS;
  const source = yield* left.source(length);
  const sinks = (yield* right.sink(length * SENDS * 2)).split(SENDS * 2);
  const read = type === QP_TYPE.rc ? { into: yield* left.sink(LONG), from: yield* right.source(LONG) } : null;
  for (const sink of sinks) yield* right.receive(sink);
  for (let i = 0; i < SENDS; i++) yield* left.send(source);
  if (read !== null) yield* left.read(read.into, read.from);
  yield* delay(((index * DRAIN_STEP) % DRAIN_SPREAD) * US);
  yield* drain(left);
  for (let i = 0; i < SENDS; i++) yield* left.send(source);
  yield* delay(LONG_ENOUGH);
  yield* left.api.modifyQp(left.qp, { state: QP_STATE.rts });
  for (let i = read === null ? 1 : 0; i < SENDS * 2; i++) yield* left.sent();
  return yield* left.sent();
}

/**
 * Receives all round the ring of a queue pair that is taken to ERR, and one that is posted long after that: all are
 * flushed, also behind the end of the ring.
 */
function* receiveStopped({ left, right }: Connection): Proc<Completion> {
  const source = yield* left.source(SHORT);
  const sink = yield* right.sink(SHORT);
  const room = right.qp.maxRecvWr;
  const used = Math.min(Math.ceil((room * 2) / 3), left.qp.maxSendWr);
  for (let i = 0; i < room; i++) yield* right.receive(sink.part(0, 0));
  for (let i = 0; i < used; i++) yield* left.send(source.part(0, 0));
  for (let i = 0; i < used; i++) {
    yield* left.sent();
    yield* right.received();
  }
  for (let i = 0; i < used; i++) yield* right.receive(sink.part(0, 0));
  yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
  for (let i = 0; i < room; i++) (yield* right.received()).expected();
  yield* delay(LONG_ENOUGH);
  yield* right.receive(sink);
  return yield* right.received();
}

/** A send queue that is drained while its only request waits for a receiver that is not ready: it must still be sent. */
function* drainRefused({ index, left, right }: Connection): Proc<Completion> {
  const source = yield* left.source(SHORT);
  const sink = yield* right.sink(SHORT);
  // With few retries it might have given up by the time the receive is there.
  const late = left.qp.rnrRetry === RNR_RETRY_FOR_EVER;
  if (!late) yield* right.receive(sink);
  yield* left.send(source);
  yield* delay((REFUSED + (index % REFUSED_SPREAD)) * US);
  yield* left.api.modifyQp(left.qp, { state: QP_STATE.sqd, enSqdAsyncNotify: true });
  if (late) yield* right.receive(sink);
  yield* left.api.waitDrained(left.qp);
  yield* left.api.modifyQp(left.qp, { state: QP_STATE.rts });
  return yield* left.sent();
}

/** A READ to a queue pair that has answered one, and that software has left no resources to answer more. */
function* readUnanswered({ left, right }: Connection): Proc<Completion> {
  const source = yield* right.source(SHORT);
  const sink = yield* left.sink(SHORT);
  yield* left.read(sink, source);
  yield* left.sent();
  yield* right.api.modifyQp(right.qp, { state: QP_STATE.sqd });
  yield* right.api.modifyQp(right.qp, { state: QP_STATE.sqd, maxDestRdAtomic: 0 });
  yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts });
  yield* left.read(sink, source);
  return yield* left.sent();
}

/** A WRITE that is refused, with many requests behind it, fetched and not, and a receive: all are flushed. */
function* writesBehind({ left, right }: Connection): Proc<Completion> {
  const source = yield* left.source(SHORT);
  const gone = yield* right.sink(SHORT);
  const kept = yield* right.sink(SHORT);
  yield* left.receive(yield* left.sink(SHORT));
  yield* right.deregister(gone);
  const behind = Math.min(BEHIND, left.qp.maxSendWr - 1);
  yield* left.write(source, gone.unchecked());
  for (let i = 0; i < behind; i++) yield* left.write(source, kept);
  const refused = yield* left.sent();
  for (let i = 0; i < behind; i++) (yield* left.sent()).expected();
  (yield* left.received()).expected();
  return refused;
}
