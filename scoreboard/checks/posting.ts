/** Takes posted work into the tables: queues, expected messages, ranges the NIC may write from now on. */

import type { PostedRecv, PostedSend, QpInfo, SendWr } from '../../agents/verbs/verbsItems.ts';
import { ACCESS, MAX_MESSAGE, QP_TYPE, SEND_FLAG } from '../../rdma/verbs.ts';
import { FATE, fateOf, noteBeginning, noteRoom } from '../rules/droppedMessages.ts';
import { notePosted } from './flushes.ts';
import { listFault } from '../rules/keyFaults.ts';
import { openBytes } from '../rules/localKeys.ts';
import { ATOMIC_BYTES, OP_ATOMIC, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isStranger } from '../model/peers.ts';
import {
  NONE,
  Q_ACCESS,
  Q_DEST_READS,
  Q_FLAGS,
  Q_IN_COUNT,
  Q_IN_HEAD,
  Q_MTU,
  Q_PD,
  Q_PEER,
  Q_QKEY,
  Q_REMOTE_QPN,
  Q_RQ_HEAD,
  Q_RQ_POSTED,
  Q_SQ_HEAD,
  Q_SQ_POSTED,
  Q_SQ_SOLICITED,
  Q_TIMES,
  Q_TYPE,
  QF_BROKEN,
  QF_CHANGES,
  QF_GONE,
  QF_READY,
  QF_REFUSES_WRITE,
  QF_SENDS_FAIL,
  QF_SIGNAL_ALL,
} from '../model/qps.ts';
import { RemoteAccess } from '../rules/remoteAccess.ts';
import { noteSendPosted } from '../model/messageUnderWay.ts';
import { RightsChanges } from '../rules/rightsChanges.ts';
import { addInbound, addWrite, append } from '../model/queues.ts';
import { SCB } from '../report/reportIds.ts';
import {
  FLAGS_SHIFT,
  R_AH,
  R_DEST,
  R_IMM,
  R_NEXT,
  R_OPEN_BYTES,
  R_QP,
  R_STATE,
  S_AWAITED,
  S_BAD,
  S_BAD_KEY,
  S_BAD_LENGTH,
  S_BAD_LOCAL,
  S_BAD_RIGHT,
  S_BAD_SERVICE,
  S_COMP,
  S_DATA,
  S_FAILED,
  S_GRANTED,
  S_RECV,
  S_REMOTE,
  S_SIGNALLED,
  S_WITHDRAWN,
} from '../model/requests.ts';
import type { Snapshots } from '../memory/snapshots.ts';
import type { Waits } from './waits.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';

/** Flags that the peer, or what the wire shows, must heed. */
const ORDER_FLAGS = SEND_FLAG.fence | SEND_FLAG.solicited;

export class Posting {
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #snapshots: Snapshots;
  readonly #remote: RemoteAccess;
  readonly #rights: RightsChanges;
  readonly #waits: Waits;
  readonly #guarding: boolean;

  constructor(state: OracleState, guard: WriteGuard, waits: Waits, snapshots: Snapshots) {
    this.#s = state;
    this.#waits = waits;
    this.#guard = guard;
    this.#snapshots = snapshots;
    this.#remote = new RemoteAccess(state);
    this.#rights = new RightsChanges(state, guard, this.#remote);
    this.#guarding = state.options.level >= CHECK_LEVEL.full;
  }

  /** A send request was posted. */
  send(item: PostedSend): void {
    const s = this.#s;
    const { host, wr } = item;
    const found = s.qps.find(host, item.qpn);
    const q = found & INDEX_BITS;
    const words = s.qps.words;
    const flags = found < 0 ? 0 : (words[q + Q_FLAGS] as number);
    if ((flags & QF_READY) === 0) {
      this.#neverReady(item);
      return;
    }
    s.qps.times[(words[q + Q_TIMES] as number) + 3] = s.clock.now;
    const r = s.requests.allocate(q, item.wqeIndex, wr.wrId, 0);
    s.requests.posted(r, s.clock.now);
    s.requests.setSges(r, host, wr.sges, wr.numSge, s.mrs);
    const w = s.requests.words;
    w[r + R_IMM] = wr.imm | 0;
    s.requests.setCarried(r, wr, words[q + Q_TYPE] === QP_TYPE.ud);
    let state = (w[r + R_STATE] as number) | wr.opcode | (wr.flags << FLAGS_SHIFT) | S_COMP;
    if ((flags & QF_SIGNAL_ALL) !== 0 || (wr.flags & SEND_FLAG.signaled) !== 0) {
      state |= S_SIGNALLED;
      if (s.outstanding++ === 0 || words[q + Q_SQ_HEAD] === NONE) s.progress(q);
    } else {
      s.unsignalled++;
    }
    w[r + R_STATE] = state;
    if (words[q + Q_SQ_HEAD] === NONE) this.#waits.begin(q, host);
    noteSendPosted(s, q, r);
    append(s, q, Q_SQ_HEAD, r);
    if ((wr.flags & ORDER_FLAGS) !== 0) this.#noteFlags(q, wr);
    words[q + Q_SQ_POSTED] = (words[q + Q_SQ_POSTED] as number) + 1;
    const kind = operationKind(wr.opcode);
    if ((wr.flags & SEND_FLAG.inline) === 0) this.#checkLocal(q, r, item, kind);
    if (this.#isPossible(q, r, kind) && !isStranger(s, q)) this.#expect(q, r, item, kind);
    if (this.#has(r, S_BAD_LOCAL | S_BAD_SERVICE | S_BAD_LENGTH)) s.failing.set(q, s.requests.orderOf(r));
    if ((wr.flags & SEND_FLAG.inline) !== 0) this.#keepInline(r);
  }

  #keepInline(r: number): void {
    this.#s.inlinePosted = true;
    if (this.#s.options.level >= CHECK_LEVEL.memory) this.#snapshots.take(r);
  }

  /** A receive request was posted, possibly before the queue pair is ready. */
  recv(item: PostedRecv): void {
    const s = this.#s;
    const q = s.qps.ensure(item.host, item.qpn) & INDEX_BITS;
    const r = s.requests.allocate(q, item.wqeIndex, item.wr.wrId, S_RECV | S_COMP);
    s.requests.posted(r, s.clock.now);
    s.requests.setSges(r, item.host, item.wr.sges, item.wr.numSge, s.mrs);
    const open = openBytes(s.mrs, item.host, item.wr, item.pd, ACCESS.localWrite);
    s.requests.words[r + R_OPEN_BYTES] = open;
    if (open !== NONE) s.fault(r, { local: listFault(s.mrs, item.host, item.wr, item.pd, ACCESS.localWrite) });
    if (s.mrs.anyGoing) s.withdrawnKeys.posted(q, r, item.host, item.wr);
    const { words } = s.qps;
    if (words[q + Q_RQ_HEAD] === NONE && words[q + Q_IN_HEAD] !== NONE) this.#endWait(q);
    append(s, q, Q_RQ_HEAD, r);
    noteRoom(s, q, r);
    words[q + Q_RQ_POSTED] = (words[q + Q_RQ_POSTED] as number) + 1;
    s.qps.times[(words[q + Q_TIMES] as number) + 2] = s.clock.now;
    if (((words[q + Q_FLAGS] as number) & QF_READY) !== 0) this.#openLocal(r);
    notePosted(s, q);
  }

  /** The queue pair's process has become known: opens the receives that were posted before. */
  ready(q: number): void {
    const s = this.#s;
    for (let r = s.qps.words[q + Q_RQ_HEAD] as number; r !== NONE; r = s.requests.words[r + R_NEXT] as number) {
      if (((s.requests.words[r + R_STATE] as number) & S_GRANTED) === 0) this.#openLocal(r);
    }
  }

  /** A queue pair has other attributes, above all what it permits its peer, or is about to have them (`changing`). */
  changes(info: QpInfo, changing: boolean): void {
    const { qps } = this.#s;
    const w = qps.words;
    const found = qps.find(info.host, info.qpn);
    const peer = qps.find(info.remoteHost, info.remoteQpn);
    if (found < 0) return;
    qps.retries(found, info);
    const access = info.access ?? NONE;
    const permits = access !== w[found + Q_ACCESS] || (info.maxDestRdAtomic ?? NONE) !== w[found + Q_DEST_READS];
    if (!changing) qps.limits(found, info);
    if (!permits && (info.qkey | 0) === w[found + Q_QKEY]) return;
    const flags = w[found + Q_FLAGS] as number;
    w[found + Q_FLAGS] = changing ? flags | QF_CHANGES : flags & ~QF_CHANGES;
    if (!changing) {
      w[found + Q_ACCESS] = access;
      this.#s.formerQkeys.set(found, { key: w[found + Q_QKEY] as number, until: this.#s.requests.nextOrder });
      w[found + Q_QKEY] = info.qkey;
    } else if (permits && peer >= 0) this.#rights.begin(found, peer);
  }

  #neverReady(item: PostedSend): void {
    const { host, qpn } = item;
    const text = () => `a send was posted on host ${host} QP ${qpn}, which never became ready`;
    this.#s.reporter.error(SCB.setup, text);
  }

  /** Messages have waited for a receive: that was no time in which a NIC could get on. */
  #endWait(q: number): void {
    const s = this.#s;
    const message = s.qps.words[q + Q_IN_HEAD] as number;
    s.progress(q);
    s.progress(s.requests.words[message + R_QP] as number);
  }

  #expect(q: number, r: number, item: PostedSend, kind: number): void {
    if ((kind & OP_WRITE) !== 0) this.#expectWrite(r, item);
    if ((kind & OP_READ) !== 0) this.#expectRead(r, item);
    if ((kind & OP_ATOMIC) !== 0) this.#expectAtomic(r, item);
    if ((kind & OP_MESSAGE) !== 0) this.#expectMessage(q, r, item);
    else if ((kind & OP_WRITE) !== 0 && this.#has(r, S_DATA)) addWrite(this.#s, r);
  }

  /** Remembers a fenced request until it is sent, and counts solicited messages. */
  #noteFlags(q: number, wr: SendWr): void {
    const s = this.#s;
    const w = s.qps.words;
    const message = (operationKind(wr.opcode) & OP_MESSAGE) !== 0;
    if (message && (wr.flags & SEND_FLAG.solicited) !== 0)
      w[q + Q_SQ_SOLICITED] = (w[q + Q_SQ_SOLICITED] as number) + 1;
    if ((wr.flags & SEND_FLAG.fence) === 0 || w[q + Q_TYPE] !== QP_TYPE.rc) return;
    s.fences.add(q, w[q + Q_SQ_POSTED] as number);
  }

  /** Whether the keys of the list open its entries to the queue pair; data from elsewhere may only be put where software may write. */
  #checkLocal(q: number, r: number, { wr, host }: PostedSend, kind: number): void {
    const { qps, mrs } = this.#s;
    if (mrs.anyGoing) this.#s.withdrawnKeys.posted(q, r, host, wr);
    const right = (kind & (OP_READ | OP_ATOMIC)) === 0 ? 0 : ACCESS.localWrite;
    const pd = qps.words[q + Q_PD] as number;
    if (openBytes(mrs, host, wr, pd, right) === NONE) return;
    this.#s.requests.addState(r, S_BAD_LOCAL);
    this.#s.fault(r, { local: listFault(mrs, host, wr, pd, right) });
  }

  /** Whether the service has the operation, and messages of this length (roce-transport.md 4.5). */
  #isPossible(q: number, r: number, kind: number): boolean {
    const { qps, requests } = this.#s;
    const type = qps.words[q + Q_TYPE];
    const length = requests.length(r);
    if (type === QP_TYPE.rc && length <= MAX_MESSAGE) return true;
    const datagram = type === QP_TYPE.ud;
    const missing = type === QP_TYPE.rc ? 0 : OP_READ | OP_ATOMIC | (datagram ? OP_WRITE : 0);
    const longest = datagram ? (qps.words[q + Q_MTU] as number) : MAX_MESSAGE;
    if ((kind & missing) !== 0) this.#s.requests.addState(r, S_BAD_SERVICE);
    else if (length > longest) this.#s.requests.addState(r, S_BAD_LENGTH);
    return !this.#has(r, S_BAD_SERVICE | S_BAD_LENGTH);
  }

  #expectWrite(r: number, item: PostedSend): void {
    this.#s.requests.addState(r, S_DATA);
    const length = this.#s.requests.length(r);
    if (!this.#remote.isPermitted(r, item.remoteHost, ACCESS.remoteWrite) || length === 0) return;
    this.#remote.resolve(r, item.wr, item.remoteHost, length, ACCESS.remoteWrite);
    const dead = this.#remote.isDead(r, item.remoteHost);
    if (this.#guarding === true && !dead && !this.#has(r, S_BAD_KEY)) this.#openRemote(r, length);
  }

  #expectRead(r: number, item: PostedSend): void {
    this.#s.requests.addState(r, S_DATA);
    const length = this.#s.requests.length(r);
    const permitted =
      this.#remote.isPermitted(r, item.remoteHost, ACCESS.remoteRead) && this.#remote.isAnswered(r, item.remoteHost);
    if (length === 0) return;
    if (permitted) this.#remote.resolve(r, item.wr, item.remoteHost, length, ACCESS.remoteRead);
    this.#openLocal(r);
  }

  #expectAtomic(r: number, item: PostedSend): void {
    this.#s.requests.addState(r, S_DATA);
    if (this.#remote.isPermitted(r, item.remoteHost, ACCESS.remoteAtomic))
      this.#remote.resolve(r, item.wr, item.remoteHost, ATOMIC_BYTES, ACCESS.remoteAtomic);
    this.#openLocal(r);
    if (this.#guarding && !this.#has(r, S_BAD_KEY)) this.#openRemote(r, ATOMIC_BYTES);
  }

  #expectMessage(q: number, r: number, item: PostedSend): void {
    const s = this.#s;
    const { words } = s.qps;
    const w = s.requests.words;
    const state = w[r + R_STATE] as number;
    if ((state & (S_BAD_KEY | S_BAD_LOCAL)) !== 0) {
      if (words[q + Q_TYPE] === QP_TYPE.uc && (state & (S_BAD | S_BAD_RIGHT)) === (S_BAD_KEY | S_BAD_RIGHT))
        addWrite(s, r);
      else w[r + R_STATE] = state & ~S_DATA;
      this.#comesToNothing(q, r, item, state);
      return;
    }
    const dest = this.#destination(q, item) & INDEX_BITS;
    w[r + R_DEST] = dest;
    if (words[q + Q_TYPE] === QP_TYPE.ud) {
      w[r + R_AH] = item.wr.ah;
      if (this.#isForeignKey(q, dest, item.wr)) {
        w[r + R_STATE] = state & ~S_DATA;
        return;
      }
    }
    const reliable = words[q + Q_TYPE] === QP_TYPE.rc;
    const fate = reliable ? FATE.arrives : fateOf(s, dest, r);
    const held = !reliable && this.#willFail(q);
    if (fate === FATE.dropped && !held && !this.#rights.holdsForbidden(q)) {
      w[r + R_STATE] = state & ~S_DATA;
      return;
    }
    const broken = ((words[dest + Q_FLAGS] as number) & QF_BROKEN) | ((words[q + Q_FLAGS] as number) & QF_SENDS_FAIL);
    const uncertain =
      broken !== 0 ||
      held ||
      fate !== FATE.arrives ||
      (!reliable && ((state & S_WITHDRAWN) !== 0 || s.withdrawnKeys.has(r) || this.#mayVanish(dest)));
    w[r + R_STATE] = state | S_DATA | (uncertain ? S_FAILED : S_AWAITED);
    if (!uncertain) {
      s.outstanding++;
      if (words[dest + Q_IN_COUNT] === 0) s.progress(dest);
    }
    addInbound(s, dest, r);
  }

  /** Whether the send queue holds a request that ends with an error: what is behind it is flushed, and takes no receive. */
  #willFail(q: number): boolean {
    const { failing, qps, requests } = this.#s;
    const order = failing.size === 0 ? undefined : failing.get(q);
    const head = qps.words[q + Q_SQ_HEAD] as number;
    return order !== undefined && head !== NONE && ((order - requests.orderOf(head)) | 0) >= 0;
  }

  /** A message that its receiver must refuse, or that is never sent: what there is to be known of it there. */
  #comesToNothing(q: number, r: number, item: PostedSend, state: number): void {
    const type = this.#s.qps.words[q + Q_TYPE];
    if (type === QP_TYPE.ud) return;
    const dest = this.#destination(q, item) & INDEX_BITS;
    const w = this.#s.qps.words;
    if (type === QP_TYPE.uc) noteBeginning(this.#s, dest, r);
    else if ((state & S_BAD_LOCAL) === 0) w[dest + Q_FLAGS] = (w[dest + Q_FLAGS] as number) | QF_REFUSES_WRITE;
  }

  /** Whether a datagram must be dropped because its Q_Key is not that of its destination (roce-transport.md 4.3). */
  #isForeignKey(q: number, dest: number, wr: SendWr): boolean {
    const w = this.#s.qps.words;
    if (((w[dest + Q_FLAGS] as number) & (QF_READY | QF_CHANGES)) !== QF_READY) return false;
    // Bit 31 asks for the Q_Key of the sending queue pair.
    const own = (wr.remoteQkey | 0) < 0;
    if (own && ((w[q + Q_FLAGS] as number) & QF_CHANGES) !== 0) return false;
    return (own ? w[q + Q_QKEY] : wr.remoteQkey | 0) !== w[dest + Q_QKEY];
  }

  /** Unreliable services drop what finds no receive, no queue pair, or a fault on its way. */
  #mayVanish(dest: number): boolean {
    if (this.#s.options.lossAllowed) return true;
    const { qps } = this.#s;
    if (((qps.words[dest + Q_FLAGS] as number) & (QF_READY | QF_CHANGES)) !== QF_READY) return true;
    return qps.receives(dest) <= (qps.words[dest + Q_IN_COUNT] as number);
  }

  #destination(q: number, item: PostedSend): number {
    const { qps } = this.#s;
    if (qps.words[q + Q_TYPE] === QP_TYPE.ud) return qps.ensure(item.remoteHost, item.wr.remoteQpn);
    const known = qps.words[q + Q_PEER] as number;
    if (known !== NONE && ((qps.words[known + Q_FLAGS] as number) & QF_GONE) === 0) return known;
    const peer = qps.ensure(item.remoteHost, qps.words[q + Q_REMOTE_QPN] as number);
    qps.words[q + Q_PEER] = peer;
    return peer;
  }

  #openLocal(r: number): void {
    if (this.#guarding !== true) return;
    this.#guard.openList(r);
    this.#s.requests.addState(r, S_GRANTED);
  }

  #openRemote(r: number, length: number): void {
    this.#guard.openRemote(r, length);
    this.#s.requests.addState(r, S_REMOTE);
  }

  #has(r: number, bit: number): boolean {
    return ((this.#s.requests.words[r + R_STATE] as number) & bit) !== 0;
  }
}
