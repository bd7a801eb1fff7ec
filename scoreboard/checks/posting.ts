/** Takes posted work into the tables: queues, expected messages, ranges the NIC may write from now on. */

import { type Message, type QueuePair, NONE, type AnyRequest, type Receive, STAGE, NO_QP } from '../model/work.ts';
import type { PostedRecv, PostedSend, QpInfo, SendWr } from '../../agents/verbs/verbsItems.ts';
import { mostOf } from '../../agents/verbs/windowed.ts';
import { ACCESS, MAX_MESSAGE, QP_TYPE, SEND_FLAG, WC_STATUS, WR_OPCODE } from '../../rdma/verbs.ts';
import { mayNotUseHandle } from '../rules/addressHandles.ts';
import { notePartial, noteRoom } from '../rules/droppedMessages.ts';
import { notePosted } from './flushes.ts';
import { listFault } from '../rules/keyFaults.ts';
import { openBytes } from '../rules/localKeys.ts';
import { ATOMIC_BYTES, OP_ATOMIC, OP_KEY, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CAUSE } from '../model/outcomes.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isForeign } from '../model/peers.ts';
import { isClosed, RemoteAccess } from '../rules/remoteAccess.ts';
import { noteSendPosted } from '../model/messageUnderWay.ts';
import { RightsChanges } from '../rules/rightsChanges.ts';
import { addInbound, addWrite, awaitMessage, giveUp } from '../model/queues.ts';
import { enterTransit } from '../model/transit.ts';
import { SCB } from '../report/reportIds.ts';
import type { Snapshots } from '../memory/snapshots.ts';
import type { Waits } from './waits.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';
import { aQueuePair } from '../../rdma/subjectParts.ts';

/** Flags that the peer, or what the wire shows, must heed. */
const ORDER_FLAGS = SEND_FLAG.fence | SEND_FLAG.solicited;

export class Posting {
  /** Takes messages of unreliable services, as posted, on a wire that nobody can read. */
  arrives: (dest: QueuePair, r: Message) => void = () => {};
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #snapshots: Snapshots;
  readonly #remote: RemoteAccess;
  readonly rights: RightsChanges;
  readonly #waits: Waits;
  readonly #guarding: boolean;

  constructor(state: OracleState, guard: WriteGuard, waits: Waits, snapshots: Snapshots) {
    this.#s = state;
    this.#waits = waits;
    this.#guard = guard;
    this.#snapshots = snapshots;
    this.#remote = new RemoteAccess(state);
    this.rights = new RightsChanges(state, guard, this.#remote);
    this.#guarding = state.options.level >= CHECK_LEVEL.full;
  }

  /** A send request was posted. */
  send(item: PostedSend): void {
    const s = this.#s;
    const { host, wr } = item;
    const q = s.qps.find(host, item.qpn);
    if (!q.ready) {
      this.#neverReady(item);
      return;
    }
    q.sq.postedAt = s.clock.now;
    const r = s.requests.message(q, item.wqeIndex, wr.wrId, s.clock.now);
    s.requests.setSges(r, host, wr.sges, wr.numSge, s.mrs);
    r.imm = wr.imm | 0;
    s.requests.setCarried(r, wr, q.type === QP_TYPE.ud);
    r.opcode = wr.opcode;
    r.flags = wr.flags;
    if (q.signalAll || (wr.flags & SEND_FLAG.signaled) !== 0) {
      r.signalled = true;
      if (s.outstanding++ === 0 || !q.sq.head.exists) s.progress(q);
    } else {
      s.unsignalled++;
    }
    const kind = operationKind(wr.opcode);
    const isSilent = kind === OP_KEY;
    if (!q.sq.head.exists && !isSilent) this.#waits.begin(q, host);
    noteSendPosted(q, r);
    q.sq.append(r);
    if ((wr.flags & ORDER_FLAGS) !== 0 && !isSilent) this.#noteFlags(q, wr);
    if (!isSilent) q.sq.posted++;
    if ((wr.flags & SEND_FLAG.inline) === 0) this.#checkLocal(q, r, item, kind);
    const possible = this.#isPossible(q, r, wr, kind);
    if (possible && isSilent) s.mkeys.posted(q, r, wr);
    else if (possible && !isForeign(s, q)) this.#expect(q, r, item, kind);
    if (mustFail(r)) s.failing.set(q, r.order);
    if ((wr.flags & SEND_FLAG.inline) !== 0) this.#keepInline(r);
  }

  #keepInline(r: Message): void {
    this.#s.inlinePosted = true;
    if (this.#s.options.level >= CHECK_LEVEL.memory) this.#snapshots.take(r);
  }

  /** A receive request was posted, possibly before the queue pair is ready. */
  recv(item: PostedRecv): void {
    const s = this.#s;
    const { host, srqn, wr } = item;
    const q = srqn < 0 ? s.qps.ensure(host, item.qpn) : NO_QP;
    const queue = srqn < 0 ? q.rq : s.qps.sharedReceives(host, srqn);
    const r = s.requests.receive(q, queue, item.wqeIndex, wr.wrId, s.clock.now);
    s.requests.setSges(r, host, wr.sges, wr.numSge, s.mrs);
    const open = openBytes(s.mrs, host, wr, item.pd, ACCESS.localWrite);
    r.openBytes = open;
    if (open !== NONE) explainEntry(s, r, item);
    if (s.mrs.anyDeregistering) s.deregisteredKeys.posted(q, r, host, wr);
    if (queue.isShared) for (const user of queue.users) this.#mayBeWaitedFor(user);
    else this.#mayBeWaitedFor(q);
    queue.append(r);
    noteRoom(s, q, queue, r);
    queue.postedAt = s.clock.now;
    if (queue.isShared || q.ready) this.#openLocal(r);
    if (!queue.isShared) notePosted(s, q);
  }

  /** Whether a WRITE with immediate data of a queue pair is forbidden, and may be permitted before it arrives. */
  holdsForbidden(q: QueuePair): boolean {
    return this.rights.holdsForbidden(q);
  }

  /** The queue pair's process has become known: opens the receives that were posted before. */
  ready(q: QueuePair): void {
    for (let r = q.rq.head; r.exists; r = r.next) {
      if (!r.localOpen) this.#openLocal(r);
    }
  }

  /** Software begins to change attributes of a queue pair, above all what it permits its peer. */
  changing(info: QpInfo): void {
    const { qps, requests, clock } = this.#s;
    const q = qps.find(info.host, info.qpn);
    if (!q.exists) return;
    q.attributes.begin(info, clock.now);
    q.qkey.begin(info.qkey | 0, requests.nextOrder);
    const peer = qps.find(info.remoteHost, info.remoteQpn);
    if (q.attributes.permitsChange && peer.exists) this.rights.begin(q, peer);
  }

  /** The NIC has done so, or has refused: what `info` says holds. */
  changed(info: QpInfo): void {
    const { qps, requests, clock } = this.#s;
    const q = qps.find(info.host, info.qpn);
    if (!q.exists) return;
    q.attributes.end(info, clock.now);
    // The request posted last is the last one that may still go by the old Q_Key.
    q.qkey.end(requests.nextOrder - 1, info.qkey | 0);
  }

  #neverReady(item: PostedSend): void {
    const { host, qpn } = item;
    const text = () => `a send was posted on host ${host} QP ${qpn}, which never became ready`;
    this.#s.reporter.error(SCB.setup, text, [aQueuePair(host, qpn)]);
  }

  /** Where messages have waited for a receive, that was no time in which a NIC could get on. */
  #mayBeWaitedFor(q: QueuePair): void {
    const s = this.#s;
    const message = q.inbound.head;
    if (q.rq.head.exists || !message.exists) return;
    s.progress(q);
    s.progress(message.qp);
  }

  #expect(q: QueuePair, r: Message, item: PostedSend, kind: number): void {
    if (q.type !== QP_TYPE.ud && (kind & (OP_READ | OP_ATOMIC)) === 0) this.#remote.fitsPath(r, item.remoteHost);
    if ((kind & OP_WRITE) !== 0) this.#expectWrite(r, item);
    if ((kind & OP_READ) !== 0) this.#expectRead(r, item);
    if ((kind & OP_READ) !== 0) this.#remote.fitsAnswers(r, item.remoteHost);
    if ((kind & OP_ATOMIC) !== 0) this.#expectAtomic(r, item);
    if ((kind & OP_MESSAGE) !== 0) this.#expectMessage(q, r, item);
    else if ((kind & OP_WRITE) !== 0 && r.dataOpen) addWrite(this.#s, r);
  }

  /** Remembers a fenced request until it is sent, and counts solicited messages. */
  #noteFlags(q: QueuePair, wr: SendWr): void {
    const s = this.#s;
    const message = (operationKind(wr.opcode) & OP_MESSAGE) !== 0;
    if (message && (wr.flags & SEND_FLAG.solicited) !== 0) q.sq.solicited++;
    if ((wr.flags & SEND_FLAG.fence) === 0 || q.type !== QP_TYPE.rc) return;
    s.fences.add(q, q.sq.posted);
  }

  /** Whether the keys of the list open its entries to the queue pair; data from elsewhere may only be put where software may write. */
  #checkLocal(q: QueuePair, r: Message, { wr, host }: PostedSend, kind: number): void {
    const { mrs } = this.#s;
    if (mrs.anyDeregistering) this.#s.deregisteredKeys.posted(q, r, host, wr);
    const right = (kind & (OP_READ | OP_ATOMIC)) === 0 ? 0 : ACCESS.localWrite;
    const pd = q.pd;
    if (openBytes(mrs, host, wr, pd, right) === NONE) return;
    r.outcomes.only(CAUSE.localKey, listFault(mrs, host, wr, pd, right));
  }

  /** Whether the service has the operation, and messages of this length (roce-transport.md 4.5). */
  #isPossible(q: QueuePair, r: Message, wr: SendWr, kind: number): boolean {
    const type = q.type;
    if (mayNotUseHandle(this.#s, q, r, wr.ah)) return false;
    const length = r.length;
    if ((type === QP_TYPE.ud && kind === OP_KEY) || (type !== QP_TYPE.rc && wr.opcode === WR_OPCODE.sendWithInv)) {
      r.outcomes.only(CAUSE.service);
      return false;
    }
    if (type === QP_TYPE.rc && (kind & (OP_READ | OP_ATOMIC)) !== 0 && mostOf(q.attributes.maxRdAtomic) === 0) {
      r.outcomes.only(CAUSE.service, 'its queue pair may have no READ or atomic outstanding (max_rd_atomic is 0)');
      return false;
    }
    if (type === QP_TYPE.rc && (kind & OP_ATOMIC) !== 0) return this.#holdsResult(r);
    if (type === QP_TYPE.rc && length <= MAX_MESSAGE) return true;
    const datagram = type === QP_TYPE.ud;
    const missing = type === QP_TYPE.rc ? 0 : OP_READ | OP_ATOMIC | (datagram ? OP_WRITE : 0);
    const longest = datagram ? q.mtu : MAX_MESSAGE;
    if ((kind & missing) !== 0) r.outcomes.only(CAUSE.service);
    else if (length > longest) {
      r.outcomes.only(datagram && this.#succeedsUnsent(q) ? CAUSE.lengthUntold : CAUSE.length);
      return false;
    }
    return !r.outcomes.has(CAUSE.service);
  }

  /** Whether its NIC completes a datagram that does not fit with success (roce-transport.md 11). */
  #succeedsUnsent({ host }: QueuePair): boolean {
    return this.#s.options.profiles.of(host).choices.tooLongDatagram === WC_STATUS.success;
  }

  /** An atomic brings back 8 bytes. */
  #holdsResult(r: Message): boolean {
    if (r.length === ATOMIC_BYTES) return true;
    r.outcomes.only(CAUSE.length, `the list of an atomic has ${ATOMIC_BYTES} B, and this one ${r.length}`);
    return false;
  }

  #expectWrite(r: Message, item: PostedSend): void {
    r.stage = STAGE.posted;
    const length = r.length;
    if (!this.#remote.isPermitted(r, item.remoteHost, ACCESS.remoteWrite) || length === 0) return;
    this.#remote.resolve(r, item.wr, item.remoteHost, length, ACCESS.remoteWrite);
    const dead = this.#remote.isDead(r, item.remoteHost);
    if (this.#guarding === true && !dead && !isClosed(r)) this.#openRemote(r, length);
  }

  #expectRead(r: Message, item: PostedSend): void {
    r.stage = STAGE.posted;
    const length = r.length;
    const permitted =
      this.#remote.isPermitted(r, item.remoteHost, ACCESS.remoteRead) && this.#remote.isAnswered(r, item.remoteHost);
    if (length === 0) return;
    if (permitted) this.#remote.resolve(r, item.wr, item.remoteHost, length, ACCESS.remoteRead);
    this.#openLocal(r);
  }

  #expectAtomic(r: Message, item: PostedSend): void {
    r.stage = STAGE.posted;
    this.#remote.resolveAtomic(r, item.wr, item.remoteHost);
    this.#openLocal(r);
    this.#s.atomics.posted(r, item.wr);
    if (!this.#guarding || isClosed(r)) return;
    this.#openRemote(r, ATOMIC_BYTES);
    this.#s.atomics.opened(r);
  }

  #expectMessage(q: QueuePair, r: Message, item: PostedSend): void {
    const s = this.#s;
    if (isClosed(r) || r.outcomes.has(CAUSE.localKey)) {
      if (q.type === QP_TYPE.uc && isOnlyForbidden(r)) addWrite(s, r);
      else r.stage = STAGE.settled;
      this.#comesToNothing(q, r, item);
      return;
    }
    const dest = this.#destination(q, item);
    r.dest = dest;
    r.stage = STAGE.posted;
    if (r.opcode === WR_OPCODE.sendWithInv) s.mkeys.sent(q, r, dest);
    if (q.type !== QP_TYPE.rc) {
      r.ah = item.wr.ah;
      enterTransit(this.#s, r);
      // Where nobody can read packets, it counts as arrived.
      if (s.options.profiles.of(q.host).wire === 'private') this.arrives(dest, r);
      return;
    }
    if (dest.broken || q.sendsFail) giveUp(s, r);
    else {
      awaitMessage(s, r);
      if (dest.inbound.count === 0) s.progress(dest);
    }
    addInbound(dest, r);
  }

  /** A message that its receiver must refuse, or that is never sent: what there is to be known of it there. */
  #comesToNothing(q: QueuePair, r: Message, item: PostedSend): void {
    const type = q.type;
    if (type === QP_TYPE.ud) return;
    const dest = this.#destination(q, item);
    if (type === QP_TYPE.uc) notePartial(this.#s, dest, r);
    else if (!r.outcomes.has(CAUSE.localKey)) dest.refusesWrite = true;
  }

  #destination(q: QueuePair, item: PostedSend): QueuePair {
    const { qps } = this.#s;
    if (q.type === QP_TYPE.ud) return qps.ensure(item.remoteHost, item.wr.remoteQpn);
    const known = q.peer;
    if (known.exists && !known.gone) return known;
    const peer = qps.ensure(item.remoteHost, q.remoteQpn);
    q.peer = peer;
    return peer;
  }

  #openLocal(r: AnyRequest): void {
    if (this.#guarding !== true) return;
    this.#guard.openList(r);
  }

  #openRemote(r: Message, length: number): void {
    this.#guard.openRemote(r, length);
  }
}

/** Whether nothing is wrong with a request but that its peer does not permit it. */
function isOnlyForbidden({ outcomes }: Message): boolean {
  if (outcomes.has(CAUSE.localKey) || outcomes.has(CAUSE.service)) return false;
  return outcomes.has(CAUSE.remoteRight) && !outcomes.has(CAUSE.pathMtu);
}

/** Whether the requester finds a mistake before anything is sent, or where data come back. */
function mustFail({ outcomes }: Message): boolean {
  if (outcomes.has(CAUSE.localKey) || outcomes.has(CAUSE.service)) return true;
  return outcomes.has(CAUSE.length) || outcomes.has(CAUSE.bindRefused);
}

function explainEntry(s: OracleState, r: Receive, { host, wr, pd }: PostedRecv): void {
  const fault = listFault(s.mrs, host, wr, pd, ACCESS.localWrite);
  if (fault !== undefined) r.outcomes.explain(CAUSE.entryKey, fault);
}
