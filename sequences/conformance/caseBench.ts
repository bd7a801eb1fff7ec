/** What a case of the conformance list is written with, besides the sides of its connections. */
import { type RecvWr, SendWr } from '../../agents/verbs/verbsItems.ts';
import type { ConnectAttributes } from '../../env/verbs/hostApi.ts';
import type { QpAttributes } from '../../env/verbs/qpAttributes.ts';
import type { Qp, QpInit } from '../../env/verbs/verbsObjects.ts';
import { HostApiError, type MisuseKind } from '../../env/verbs/hostErrors.ts';
import { describe } from '../../env/verbs/qpTransitions.ts';
import {
  ASYNC_EVENT,
  ASYNC_EVENT_NAME,
  QP_STATE,
  QP_STATE_NAME,
  QP_TYPE,
  type QpType,
  SEND_FLAG,
  WC_STATUS,
  WC_STATUS_NAME,
} from '../../rdma/verbs.ts';
import { delay, type Proc } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { US } from '../../uvm/kernel/time.ts';
import type { Sharing } from '../host/sharing.ts';
import type { Completion } from '../user/completion.ts';
import type { Connection } from '../user/connection.ts';
import type { QpSide } from '../user/qpSide.ts';
import { connectAgain, keptBy, resetBoth } from '../user/reconnection.ts';
import { RegisteredBuffer } from '../user/memory/registeredBuffer.ts';
import type { SequenceNeeds } from '../user/sequenceNeeds.ts';
import { UserSequence } from '../user/userSequence.ts';
import { CaseCodec } from './caseCodec.ts';
import { postWithBug, withBug } from './softwareBugs.ts';

/** Reported where a case finds something else than its behaviour says. */
const FAILED = 'CASE_FAILED';

type StatusName = keyof typeof WC_STATUS;
type StateName = keyof typeof QP_STATE;
type EventName = keyof typeof ASYNC_EVENT;

/** Shared receive queues of each process that a device is opened for. */
const SHARED_QUEUES = 4;

/** Plays the behaviour, and says what must come of it. */
export type Play = (bench: CaseBench) => Proc<void>;

/** A behaviour that can be played. */
export interface ConformanceCase {
  readonly id: string;
  readonly needs: SequenceNeeds;
  readonly play: Play;
}

/** A request as it is posted. */
interface RawRequest {
  readonly opcode: number;
  readonly data: RegisteredBuffer;
  /** Memory of the peer. */
  readonly target?: RegisteredBuffer;
  /** Of a datagram: default the peer's. */
  readonly remoteQpn?: number;
}

export class CaseBench extends UserSequence {
  /** Judgements that the case has made itself: a call that is refused is none of the scoreboard's. */
  expectations = 0;
  /** For how long software leaves completions before it takes them, ps. */
  pollPause: SimTime = 0;
  readonly #case: ConformanceCase;
  readonly #bug: string;
  #codec: CaseCodec | undefined;
  /** Times that connections were connected anew. */
  #lives = 0;
  /** Asynchronous events that came, by host. */
  readonly #asyncEvents: { readonly host: number; readonly event: number; readonly number: number }[] = [];
  /** Completion events that came: host and number of the completion queue. */
  readonly #completionEvents: { readonly host: number; readonly cqn: number }[] = [];

  /** @param bug one of the case's own, that is planted (`+CASE_BUG`); '' for none */
  constructor(played: ConformanceCase, bug = '') {
    super(`case_${played.id}`);
    this.#case = played;
    this.#bug = bug;
    this.needs = played.needs;
  }

  /** The codec of the harness, with the bug of the case. */
  get codec(): CaseCodec {
    this.#codec ??= new CaseCodec(this.run.bytes, this.#bug);
    return this.#codec;
  }

  override readonly needs: ConformanceCase['needs'];

  /** Where cases need shared receives, the device is opened for some; none is made before a case makes it. */
  override sharing(): Sharing | null {
    const isNeeded = this.needs.capabilities?.includes('sharedReceives') === true;
    return isNeeded ? { queues: SHARED_QUEUES, queueOf: () => -1 } : null;
  }

  override pollDelay(): SimTime {
    return this.pollPause;
  }

  override *body(): Proc {
    for (const api of this.given.env.hosts) {
      this.run.processes.spawn(`asyncEvents${api.host}`, this.#takeAsyncEvents(api), { daemon: true });
      this.run.processes.spawn(`events${api.host}`, this.#takeEvents(api), { daemon: true });
    }
    yield* this.#case.play(this);
  }

  /** The side that asks, and the one that answers, of the first connection. */
  get left(): QpSide {
    return this.connectionAt(0).left;
  }

  get right(): QpSide {
    return this.connectionAt(0).right;
  }

  /** @throws Error where the run has fewer connections */
  connectionAt(index: number): Connection {
    const found = this.connections[index];
    if (found !== undefined) return found;
    throw new Error(`${this.#case.id} needs ${index + 1} connections; give +RC_QP_NUM, +UC_QP_NUM or +UD_QP_NUM`);
  }

  /** @throws Error for a side of no connection of this case */
  connectionOf(side: QpSide): Connection {
    const found = this.connections.find(({ left, right }) => side === left || side === right);
    if (found !== undefined) return found;
    throw new Error(`${this.#case.id}: ${describe(side.qp)} has no peer`);
  }

  /** The first connection of a type. */
  connectionOn(type: QpType): Connection {
    return this.connectionAt(this.connections.findIndex((connection) => connection.type === type));
  }

  /** Waits for the next completion of the send queue of a side, the left one by default, which must have this status. */
  *sent(status: StatusName = 'success', side = this.left): Proc<Completion> {
    const completion = yield* side.sent();
    this.expectStatus(completion, WC_STATUS[status], this.#case.id);
    return completion;
  }

  /** Waits for the next completion of the receive queue of a side, the right one by default, which must have this status. */
  *received(status: StatusName = 'success', side = this.right): Proc<Completion> {
    const completion = yield* side.received();
    this.expectStatus(completion, WC_STATUS[status], this.#case.id);
    return completion;
  }

  /** Waits for a completion that may have one of several statuses: where implementations differ. */
  *oneOf(wait: Proc<Completion>, ...statuses: StatusName[]): Proc<Completion> {
    const completion = yield* wait;
    completion.expected();
    const known = statuses.some((status) => WC_STATUS[status] === completion.status);
    this.expect(known, `${completion.request} ended with ${WC_STATUS_NAME[completion.status] ?? completion.status}`);
    return completion;
  }

  /** Reports `CASE_FAILED` unless it is so. @param otherwise what is found in place of it */
  expect(isSo: boolean, otherwise: string): void {
    this.expectations++;
    if (!isSo) this.error(FAILED, `${this.#case.id}: ${otherwise}`);
  }

  /** Reports `CASE_FAILED` unless two values are equal. */
  expectEqual(what: string, found: unknown, expected: unknown): void {
    this.expect(Object.is(found, expected), `${what} is ${String(found)}, expected ${String(expected)}`);
  }

  /** Asks the NIC for the state of a queue pair, which must be this one. */
  *expectState(state: StateName, ...sides: readonly { readonly api: QpSide['api']; readonly qp: Qp }[]): Proc<void> {
    for (const { api, qp } of sides) {
      const found = (yield* api.queryQp(qp)).state;
      const [is, must] = [QP_STATE_NAME[found], QP_STATE_NAME[QP_STATE[state]]];
      this.expect(found === QP_STATE[state], `${describe(qp)} is in ${is}, expected ${must}`);
    }
  }

  /** Makes a call that must be refused, for one of these reasons. */
  *expectRefusedCall(what: string, call: () => unknown, ...kinds: MisuseKind[]): Proc<void> {
    try {
      const made = call();
      if (isProc(made)) yield* made;
    } catch (error) {
      if (!(error instanceof HostApiError)) throw error;
      const { kind, message } = error;
      this.expect(kinds.includes(kind), `${what} is refused as ${kind}, expected ${kinds.join(' or ')}: ${message}`);
      return;
    }
    this.expect(false, `${what} is not refused`);
  }

  /** Posts a list of which the request at `index` must be refused, and those in front of it posted. */
  *expectRefusedAt(what: string, call: () => Proc<void>, index: number): Proc<void> {
    try {
      yield* call();
    } catch (error) {
      if (!(error instanceof HostApiError)) throw error;
      this.expectEqual(`${what}: the first request that is not posted`, error.index, index);
      return;
    }
    this.expect(false, `${what} is not refused`);
  }

  /** Posts a request past the checks of the side, for what only the NIC may refuse. On UD it goes to the peer of the side. */
  *post(side: QpSide, request: RawRequest): Proc<void> {
    const { data, target, opcode } = request;
    const { left, right } = this.connectionOf(side);
    const peer = side === left ? right : left;
    const wr = new SendWr();
    wr.wrId = side.sendsPosted++;
    wr.opcode = opcode;
    wr.flags = SEND_FLAG.signaled;
    wr.remoteQpn = request.remoteQpn ?? peer.qp.qpn;
    wr.remoteQkey = peer.qp.qkey;
    if (side.qp.type === QP_TYPE.ud) wr.ah = side.api.createAh(side.qp.pd, peer.host, { ipv6: side.qp.ipv6 }).index;
    if (target !== undefined) Object.assign(wr, { remoteHi: target.hi, remoteLo: target.lo, rkey: target.key });
    wr.setNumSge(1);
    data.fill(wr.sges[0] as SendWr['sges'][number]);
    yield* side.api.postSend(side.qp, [wr], 1);
  }

  /** How a queue pair is made that is like that of the left side, or is of another type or with other sizes. */
  qpInit(changes: Partial<QpInit> = {}): QpInit {
    const { sendCq, recvCq, type } = this.left.qp;
    return { type, sendCq, recvCq, maxSendWr: 4, maxRecvWr: 4, maxSge: 1, ...changes };
  }

  /** Posts a list of requests, by software that a planted bug may be in. */
  postSends({ api, qp }: QpSide, wrs: readonly SendWr[]): Proc<void> {
    return postWithBug(this.#bug, { api, qp, wrs, post: () => api.postSend(qp, wrs, wrs.length) });
  }

  /** Posts a list of receives to a queue pair, whether it has receives of its own or not; as `postSends`. */
  postReceives({ api, qp }: QpSide, wrs: readonly RecvWr[]): Proc<void> {
    return postWithBug(this.#bug, { api, qp, wrs, post: () => api.postRecv(qp, wrs, wrs.length) });
  }

  /** Changes a queue pair, by software that a planted bug may be in. */
  *modify({ api, qp }: QpSide, attributes: QpAttributes): Proc<void> {
    yield* api.modifyQp(qp, this.#bug === '' ? attributes : withBug(this.#bug, qp, attributes));
  }

  /** What the NIC of a host does where implementations differ, as far as cases go by it. */
  choicesOf(host: number): { readonly boundRegion: 'kept' | 'windows die'; readonly bindsForeignWindows: boolean } {
    return this.given.env.choicesOf?.(host) ?? { boundRegion: 'kept', bindsForeignWindows: false };
  }

  /** Takes a side to ERR. */
  *stop({ api, qp }: QpSide): Proc<void> {
    yield* api.modifyQp(qp, { state: QP_STATE.err });
  }

  /** Resets both sides of a connection, and connects them again. */
  *connectAnew(changes: ConnectAttributes = {}, index = 0): Proc<void> {
    const { left, right } = this.connectionAt(index);
    yield* this.quiet();
    yield* resetBoth(left, right);
    yield* this.quiet();
    // A side that was made anew has no attributes of its own yet.
    const kept = keptBy(left.qp.accessFlags === 0 ? right.qp : left.qp);
    const random = this.streamOf(this.connectionAt(index), `life${this.#lives++}`);
    yield* connectAgain(left, right, random, { ...kept, ...changes });
  }

  /** Lets so many microseconds of simulated time pass. */
  *pause(microseconds: number): Proc<void> {
    yield* delay(microseconds * US);
  }

  /** Registers memory of a side, the first `length` bytes of a buffer of its own, with other rights or in another domain. */
  *region(side: QpSide, length: number, access: number, pd = side.qp.pd): Proc<RegisteredBuffer> {
    const { hi, lo } = yield* side.sink(length);
    const mr = yield* side.api.regMr(pd, { hi, lo, length, access });
    return new RegisteredBuffer(hi, lo, length, mr.key, mr).unchecked();
  }

  /** Bytes at an address of one's own, given by its halves, under the key of a buffer; unchecked. */
  at({ key }: RegisteredBuffer, hi: number, lo: number, length: number): RegisteredBuffer {
    return new RegisteredBuffer(hi, lo, length, key);
  }

  /** The asynchronous events that a host was told of a queue pair by now. */
  asyncEventsOf({ host, qp }: QpSide): readonly string[] {
    const own = this.#asyncEvents.filter((item) => item.host === host && item.number === qp.qpn);
    return own.map(({ event }) => ASYNC_EVENT_NAME[event] ?? String(event));
  }

  /** How many events so far have said that a completion queue is in error. */
  cqErrorsOf(cq: { readonly host: number; readonly cqn: number }): number {
    const own = this.#asyncEvents.filter(({ host, event }) => host === cq.host && event === ASYNC_EVENT.cqErr);
    return own.filter(({ number }) => number === cq.cqn).length;
  }

  /** How many events so far have said that a shared receive queue has come to its limit. */
  srqLimitsOf(srq: { readonly host: number; readonly srqn: number }): number {
    const limits = this.#asyncEvents.filter(({ event }) => event === ASYNC_EVENT.srqLimitReached);
    return limits.filter(({ host, number }) => host === srq.host && number === srq.srqn).length;
  }

  /** Waits until nothing moves; by then the host of a side must have been told this of its queue pair, once. */
  *expectAsyncEvent(event: EventName, side: QpSide): Proc<void> {
    yield* this.quiet();
    const name = ASYNC_EVENT_NAME[ASYNC_EVENT[event]] as string;
    const found = this.asyncEventsOf(side).filter((each) => each === name).length;
    this.expect(found === 1, `${describe(side.qp)} had ${found} events ${name}, expected 1`);
  }

  /** Waits until nothing moves, and says how many completion events came for a queue since it was asked last. */
  *completionEvents(cq: { readonly host: number; readonly cqn: number }): Proc<number> {
    yield* this.quiet();
    const events = this.#completionEvents;
    const own = events.filter((event) => event.host === cq.host && event.cqn === cq.cqn);
    for (const event of own) events.splice(events.indexOf(event), 1);
    return own.length;
  }

  *#takeAsyncEvents(api: QpSide['api']): Proc<void> {
    for (;;) {
      const { host, event, number } = yield* api.waitAsyncEvent();
      this.#asyncEvents.push({ host, event, number });
    }
  }

  *#takeEvents(api: QpSide['api']): Proc<void> {
    for (;;) {
      const { host, cqn } = yield* api.waitEvent();
      this.#completionEvents.push({ host, cqn });
    }
  }
}

function isProc(value: unknown): value is Proc<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;
}
