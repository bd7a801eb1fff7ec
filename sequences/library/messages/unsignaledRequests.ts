import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { QP_STATE, QP_TYPE, type QpType, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { nextLife } from '../../user/nextLife.ts';
import { oneWay, type OneWay } from '../../user/oneWay.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import type { ReadOptions } from '../../user/qpSide.ts';
import { NO_KEY } from '../../user/memory/registeredBuffer.ts';
import { remake } from '../../user/remake.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Requests in a row that ask for no completion, at most. */
const ROW = 7;
/** Requests that the send queue holds. */
const DEPTH = 8;
const BYTES = 300;
/** Bytes of a READ and a WRITE that take several packets. */
const LONG = 6000;
const REST = 50 * US;

type Kind = 'send' | 'write' | 'read';
const KINDS: Readonly<Record<QpType, readonly Kind[]>> = {
  [QP_TYPE.rc]: ['send', 'write', 'read'],
  [QP_TYPE.uc]: ['send', 'write'],
  [QP_TYPE.ud]: ['send'],
  [QP_TYPE.raw]: [],
};
const SILENT = { signaled: false } as const;

/**
 * Requests that ask for no completion (roce-transport.md 5.2): rows of them before one that does, with inline data too, in a queue
 * that is drained, in front of one that fails, behind one that does, and a queue full of them, which takes no more until it is reset.
 */
export class UnsignaledRequests extends UserSequence {
  static readonly typeName: string = 'unsignaled_requests';
  static readonly description: string = 'requests that ask for no completion, alone, failing, drained, flushed';
  override readonly needs = { capabilities: ['unsignaled'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'rows');
    const maxSendWr = Math.min(DEPTH, left.qp.maxSendWr, right.qp.maxRecvWr);
    yield* remake(connection, [{ signalAll: false, maxSendWr }, {}], random);
    const way = yield* oneWay(left, right, Math.min(LONG, this.longest(connection)));
    for (let i = 0; i < this.count; i++) {
      yield* this.#row(way, random);
      if (left.api.capabilities.sqd) yield* this.#drained(way, random);
      yield* this.#failing(connection, way, random);
      yield* this.#full(connection, way, random);
    }
  }

  /** A row of which only the last request completes, and tells of all. */
  *#row(way: OneWay, random: RandomStream): Proc<void> {
    const { from, to } = way;
    const kinds = KINDS[from.qp.type];
    const count = Math.min(ROW, from.qp.maxSendWr, to.qp.maxRecvWr);
    const first = from.sendsPosted;
    let receives = 0;
    for (let i = 1; i <= count; i++) {
      const kind = random.pick(kinds);
      if (kind === 'send') receives++;
      yield* ask(way, kind, random, i === count ? {} : SILENT);
    }
    yield* this.#ends(way, first + count - 1);
    for (; receives > 0; receives--) this.expectSuccess(yield* to.received(), 'receive');
  }

  /** The next completion is that of one request, and nothing is outstanding then. */
  *#ends({ from }: OneWay, wrId: number): Proc<void> {
    const completion = yield* from.sent();
    this.expectSuccess(completion, 'the request behind the others');
    if (completion.wrId !== wrId)
      this.error('SEQ_UNSIGNALED', `${completion.request} completed, expected ${wrId}`, [completion.subject]);
    const left = from.qp.sendOutstanding;
    if (left > 0)
      this.error('SEQ_UNSIGNALED', `${left} requests are outstanding behind ${completion.request}`, [
        completion.subject,
      ]);
  }

  /** Nothing is left to complete when the queue is drained. */
  *#drained(way: OneWay, random: RandomStream): Proc<void> {
    const { from, to } = way;
    const { api, qp } = from;
    if (qp.maxSendWr < 2) return;
    yield* ask(way, 'send', random, SILENT);
    yield* api.modifyQp(qp, { state: QP_STATE.sqd, enSqdAsyncNotify: true });
    yield* api.waitDrained(qp);
    yield* api.modifyQp(qp, { state: QP_STATE.rts });
    const last = from.sendsPosted;
    yield* ask(way, 'send', random, {});
    yield* this.#ends(way, last);
    for (let i = 0; i < 2; i++) this.expectSuccess(yield* to.received(), 'receive');
  }

  /** One in a row fails, and has a completion, as have those behind it. */
  *#failing(connection: Connection, way: OneWay, random: RandomStream): Proc<void> {
    const { from, to, source, target } = way;
    const room = Math.min(ROW, from.qp.maxSendWr);
    if (room < 3) return;
    const isRemote = from.qp.type === QP_TYPE.rc && random.chance(0.5);
    yield* ask(way, 'send', random, SILENT);
    const failing = from.sendsPosted;
    const bytes = source.part(0, BYTES / 2);
    if (isRemote) yield* from.write(bytes, target.withKey(NO_KEY).unchecked(), SILENT);
    else yield* from.send(bytes.withKey(NO_KEY), SILENT);
    const behind = room - 2;
    for (let i = 0; i < behind; i++) yield* from.send(bytes, SILENT);
    const first = yield* from.sent();
    this.expectStatus(first, isRemote ? WC_STATUS.remAccessErr : WC_STATUS.locProtErr, 'request with a wrong key');
    if (first.status === WC_STATUS.success || first.wrId !== failing)
      this.error('SEQ_UNSIGNALED', `${first.request} completed first, expected the failure of request ${failing}`, [
        first.subject,
      ]);
    for (let i = 0; i < behind; i++)
      this.expectStatus(yield* from.sent(), WC_STATUS.wrFlushErr, 'request behind one that failed');
    this.expectSuccess(yield* to.received(), 'receive');
    yield* this.#anew(connection, random);
  }

  /** Nobody learns that the requests of a full queue are done: it takes no more until it is reset. */
  *#full(connection: Connection, way: OneWay, random: RandomStream): Proc<void> {
    const { from, to } = way;
    const { qp } = from;
    const most = Math.min(qp.maxSendWr, to.qp.maxRecvWr);
    if (most < qp.maxSendWr) return;
    for (let i = 0; i < most; i++) yield* ask(way, 'send', random, SILENT);
    for (let i = 0; i < most; i++) this.expectSuccess(yield* to.received(), 'receive');
    yield* delay(this.#rest);
    if (!(yield* isRefused(() => from.send([]))))
      this.error('SEQ_UNSIGNALED', 'a queue full of requests takes one more');
    yield* this.#anew(connection, random);
    if (qp.sendOutstanding > 0) this.error('SEQ_UNSIGNALED', `${qp.sendOutstanding} requests are left behind a reset`);
  }

  *#anew(connection: Connection, random: RandomStream): Proc<void> {
    yield* nextLife(connection, this.#rest, random);
  }

  get #rest(): number {
    return REST + onItsWay(this.values, this.connections.length * ROW * LONG) + this.link.longestDelay;
  }
}

/** Posts a request of a kind; now and then with the data in it. */
function* ask(way: OneWay, kind: Kind, random: RandomStream, options: ReadOptions): Proc<void> {
  const { from, to, source, sink, target, copy, remote } = way;
  const inline = kind !== 'read' && from.qp.maxInline > 0 && random.chance(0.5);
  const most = inline ? Math.min(from.qp.maxInline, source.length) : source.length;
  const length = random.chance(0.5) ? random.range(0, Math.min(BYTES, most)) : random.range(0, most);
  if (kind === 'read') yield* from.read(copy.part(0, length), remote.part(0, length), options);
  else if (kind === 'write') yield* from.write(source.part(0, length), target.part(0, length), { ...options, inline });
  else {
    yield* to.receive(sink);
    yield* from.send(source.part(0, length), { ...options, inline });
  }
}

function* isRefused(post: () => Proc<void>): Proc<boolean> {
  try {
    yield* post();
    return false;
  } catch (error) {
    if (error instanceof HostApiError && error.kind === 'QUEUE_FULL') return true;
    throw error;
  }
}
