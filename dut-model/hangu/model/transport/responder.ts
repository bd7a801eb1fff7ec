/**
 * Responder: sequence checks, execution of SEND, WRITE, READ and atomic requests, acknowledgement (roce-transport.md 3.5,
 * 3.9, 3.10, 4.2, 4.6, 7). RC answers, UC and UD drop silently.
 *
 * `handle` may be called again for the same packet after a wait; up to `commit` it changes nothing but the receive WQE
 * taken.
 */
import { BTH_OP, SYNDROME } from '../../../../rdma/bth.ts';
import { MPT_PERMISSION, QPC_EXT, QPC_SERVICE, QPC_STATE } from '../../layout/contexts.ts';
import { CQE_SYNDROME, EVENT_TYPE } from '../../layout/queues.ts';
import { ATOMIC_BYTES, GRH_BYTES } from '../../../../rdma/verbs.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { isAddressed } from './addressee.ts';
import { type AckQueue, REPEAT } from './ackQueue/ackQueue.ts';
import { ATOMIC, type AtomicUnit } from './atomics/atomicUnit.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import type { CongestionUnit } from './congestionUnit.ts';
import type { HanguCore } from '../core.ts';
import { NO_CONTEXT, WAIT } from '../core.ts';
import type { EventUnit } from '../queues/eventUnit.ts';
import {
  expectedPsn,
  extension,
  minRnrTimer,
  qpMtu,
  qpPd,
  QPC_DW,
  qpService,
  qpState,
  setExpectedPsn,
} from '../qpContext.ts';
import { KeyWork } from '../memory/keyWork.ts';
import { DONE as KEY_CHANGED, WAITS } from '../memory/memoryKeys.ts';
import type { PayloadWriter } from '../memory/payloadWriter.ts';
import { IN_MESSAGE, isOfRead } from './qpSlot.ts';
import type { QpSlot, SavedRead } from './qpSlot.ts';
import type { ReceiveQueue } from '../queues/receiveQueue.ts';
import { RECV } from '../queues/receives.ts';
import type { ReceiveFlush } from './receiveFlush.ts';
import { lengthLegal, needsReceive, sequenceLegal, writeFits } from './requestChecks.ts';
import { ResponderError } from '../responderError.ts';
import type { ResponseUnit } from './responseUnit.ts';
import { XLATE } from '../memory/translation.ts';

/** Outcome of a step: finished with the packet, waiting, or go on. */
const DONE = 0;
const WAITING = 1;
const GO = 2;

export class Responder {
  /** Set once after construction. */
  congestion!: CongestionUnit;

  protected readonly core: HanguCore;
  protected readonly events: EventUnit;
  readonly #payload: PayloadWriter;
  readonly #receiveQueue: ReceiveQueue;
  readonly #responses: ResponseUnit;
  readonly #completions: CompletionUnit;
  readonly #error: ResponderError;
  readonly #atomics: AtomicUnit;
  protected readonly ackQueue: AckQueue;

  constructor(
    core: HanguCore,
    payload: PayloadWriter,
    receiveQueue: ReceiveQueue,
    responses: ResponseUnit,
    completions: CompletionUnit,
    events: EventUnit,
    flush: ReceiveFlush,
    atomics: AtomicUnit,
    ackQueue: AckQueue,
  ) {
    this.core = core;
    this.#payload = payload;
    this.#receiveQueue = receiveQueue;
    this.#responses = responses;
    this.#completions = completions;
    this.events = events;
    this.#atomics = atomics;
    this.ackQueue = ackQueue;
    this.#error = new ResponderError(core, responses, events, flush);
  }

  /** Processes one request packet. @returns false when it has to wait and will be resumed. */
  handle(slot: QpSlot, p: RxPacket): boolean {
    const core = this.core;
    const c = core.contextOf(slot, p);
    if (c === WAIT) return false;
    if (c === NO_CONTEXT) return core.dropped('noQp');
    const w = core.bytes.i32;
    const state = qpState(w, c);
    if (state < QPC_STATE.rtr || state === QPC_STATE.err || slot.refusing) return core.dropped('badState');
    // Asked once only: a datagram that waits later has its payload in another block, and its headers nowhere.
    if (p.stage === 0 && !isAddressed(core, c, p)) return true;
    const service = qpService(w, c);
    core.prepareTemplate(slot, c);
    if (p.marked && service !== QPC_SERVICE.ud) this.congestion.accepted(slot, p);
    this.#payload.located = null;
    if (p.stage === 0) {
      const r = this.admit(slot, c, p, service);
      if (r !== GO) return r === DONE;
      p.stage = 1;
      if (state === QPC_STATE.rtr && !slot.established) this.established(slot);
    }
    return this.#execute(slot, c, p, service);
  }

  /** The first request that is taken in RTR (roce-transport.md 5.6); overridable for planting. */
  protected established(slot: QpSlot): void {
    slot.established = true;
    this.events.async(EVENT_TYPE.commEstablished, slot.qpn);
    // The event has an address of its own.
    this.#payload.located = null;
  }

  /** Everything that is decided before the first byte is written. @returns DONE, WAITING or GO. */
  protected admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if (service === QPC_SERVICE.rc) return this.#admitReliable(slot, c, p);
    if (service === QPC_SERVICE.uc) return this.#admitUnreliable(slot, c, p);
    return this.#admitDatagram(slot, c, p);
  }

  #admitReliable(slot: QpSlot, c: number, p: RxPacket): number {
    const w = this.core.bytes.i32;
    const expected = expectedPsn(w, c);
    const distance = psnCmp(p.psn, expected);
    if (distance !== 0) {
      if (distance > 0) this.outOfOrder(slot, c, expected);
      else if (p.bits & OP.atomic) return this.repeatAtomic(slot, p, c);
      else if (this.#isKept(p)) return this.#repeatKept(slot, c, p, expected);
      else this.duplicate(slot, c, p, expected);
      return DONE;
    }
    slot.nakSent = false;
    if (!sequenceLegal(slot, p.bits, this.core.xlate.tagBits > 0)) return this.#nak(slot, c, p, SYNDROME.nakInvalid);
    if (!this.rightsAllow(c, p)) return this.#nak(slot, c, p, SYNDROME.nakInvalid);
    const fetch = (p.opcode & 31) === BTH_OP.readRequest || (p.bits & OP.atomic) !== 0;
    if (fetch && !this.#responses.hasRoom(slot, c)) return this.#nak(slot, c, p, SYNDROME.nakInvalid);
    const taken = needsReceive(p.bits) ? this.#receiveQueue.take(slot, c, p) : RECV.taken;
    if (taken === RECV.wait) return WAITING;
    if (taken === RECV.empty) return this.#notReady(slot, c, p);
    if (taken === RECV.error || taken === RECV.failed) return this.unreadReceive(slot, c, p);
    if (!this.lengthLegal(c, p)) return this.#nak(slot, c, p, SYNDROME.nakInvalid);
    if (p.bits & OP.send && (p.bits & OP.start ? 0 : slot.messageBytes) + p.length > slot.recvRoom) {
      return this.#fail(slot, c, p, SYNDROME.nakInvalid, CQE_SYNDROME.localLength);
    }
    if (p.bits & OP.atomic && !this.isAligned(p)) return this.#nak(slot, c, p, SYNDROME.nakInvalid);
    const remote = this.#checkRemote(c, p);
    if (remote === XLATE.wait) return WAITING;
    if (remote !== XLATE.ok) return this.#nak(slot, c, p, this.refusalOf(remote));
    if (!writeFits(slot, p, qpMtu(this.core.bytes.i32, c))) return this.#nak(slot, c, p, SYNDROME.nakInvalid);
    if (this.#isKept(p) && !this.ackQueue.open(slot, p)) return WAITING;
    this.#commit(slot, c, p);
    return GO;
  }

  /** A receive that cannot be read (4.2); overridable for planting. */
  protected unreadReceive(slot: QpSlot, c: number, p: RxPacket): number {
    return this.#nak(slot, c, p, SYNDROME.nakOperation);
  }

  /** The same of unreliable services, which tell nobody but their own software. */
  #stopReceiving(slot: QpSlot, c: number, p: RxPacket): number {
    this.#error.announce(slot, SYNDROME.nakOperation);
    return this.#fail(slot, c, p, SYNDROME.ack, CQE_SYNDROME.flush);
  }

  /** A gap: one NAK per gap (roce-transport.md 3.5); overridable for planting. */
  protected outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (slot.nakSent) return;
    slot.nakSent = true;
    this.#respond(slot, c, SYNDROME.nakSequence, expected);
  }

  /** Seen before: SEND and WRITE are acknowledged again, READs are executed again if still known. */
  protected duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    const operation = p.opcode & 31;
    if (operation === BTH_OP.readRequest) this.#responses.repeatRead(slot, c, p, this.#msn(c));
    else if (operation < BTH_OP.readRequest) this.#respond(slot, c, SYNDROME.ack, newestPlain(slot, p.psn, expected));
  }

  /** A repeated atomic is never executed again: its result is kept, or nothing is said (3.10). */
  protected repeatAtomic(slot: QpSlot, p: RxPacket, c: number): number {
    const queue = this.ackQueue;
    const outcome = queue.repeat(slot, p);
    if (outcome === REPEAT.waiting) return WAITING;
    if (outcome === REPEAT.hit) {
      this.#responses.atomic(slot, p.psn, this.#msn(c), queue.originalHi, queue.originalLo, false);
    }
    return DONE;
  }

  /** Whether a READ or WRITE has an entry in the ACK queue (roce-transport.md 9); that of a WRITE comes with its last packet. */
  #isKept(p: RxPacket): boolean {
    if (!this.ackQueue.keepsAll) return false;
    return (p.opcode & 31) === BTH_OP.readRequest || ((p.bits & OP.write) !== 0 && (p.bits & OP.end) !== 0);
  }

  /** The repeat of a READ or WRITE that has, or had, an entry. */
  #repeatKept(slot: QpSlot, c: number, p: RxPacket, expected: number): number {
    const queue = this.ackQueue;
    const outcome = queue.repeat(slot, p);
    if (outcome === REPEAT.waiting) return WAITING;
    const isHit = outcome === REPEAT.hit;
    if ((p.opcode & 31) === BTH_OP.readRequest) {
      if (isHit) this.#responses.repeatKept(slot, c, p, this.#msn(c), queue.read);
    } else this.#respond(slot, c, SYNDROME.ack, isHit ? p.psn : newestPlain(slot, p.psn, expected));
    return DONE;
  }

  #admitUnreliable(slot: QpSlot, c: number, p: RxPacket): number {
    const w = this.core.bytes.i32;
    const start = (p.bits & OP.start) !== 0;
    if (p.psn !== expectedPsn(w, c)) {
      if (!start) {
        this.#abandon(slot);
        slot.dropping = true;
        return DONE;
      }
      this.#abandon(slot);
    } else if (start && slot.inMessage !== IN_MESSAGE.none) this.#abandon(slot);
    if (slot.dropping && !start) return DONE;
    setExpectedPsn(w, c, psnAdd(p.psn, 1));
    this.core.touch(slot);
    if (!sequenceLegal(slot, p.bits, false) || !this.rightsAllow(c, p)) return this.#lose(slot);
    const taken = needsReceive(p.bits) ? this.#receiveQueue.take(slot, c, p) : RECV.taken;
    if (taken === RECV.wait) {
      // Admission is repeated for this packet: it must find the sequence as it was.
      setExpectedPsn(this.core.bytes.i32, c, p.psn);
      return WAITING;
    }
    if (taken === RECV.failed) return this.#stopReceiving(slot, c, p);
    if (taken !== RECV.taken || !this.lengthLegal(c, p)) return this.#lose(slot);
    const before = start ? 0 : slot.messageBytes;
    if (p.bits & OP.send && before + p.length > slot.recvRoom) return this.#lose(slot);
    const remote = this.#checkRemote(c, p);
    if (remote === XLATE.wait) {
      setExpectedPsn(this.core.bytes.i32, c, p.psn);
      return WAITING;
    }
    if (remote !== XLATE.ok || !writeFits(slot, p, qpMtu(this.core.bytes.i32, c))) return this.#lose(slot);
    slot.dropping = false;
    this.#begin(slot, p);
    return GO;
  }

  #admitDatagram(slot: QpSlot, c: number, p: RxPacket): number {
    const taken = this.#receiveQueue.take(slot, c, p);
    if (taken === RECV.wait) return WAITING;
    if (taken === RECV.failed) return this.#stopReceiving(slot, c, p);
    if (taken !== RECV.taken) return DONE;
    const withGrh = this.core.config.udGrh !== 0;
    if (!this.hasRoom(slot, p, withGrh ? GRH_BYTES : 0) || p.length > qpMtu(this.core.bytes.i32, c)) return DONE;
    this.#begin(slot, p);
    slot.messageBytes = 0;
    if (withGrh) this.#payload.prependGrh(p);
    return GO;
  }

  /** Whether a datagram fits in its receive behind `before` bytes; overridable for planting. */
  protected hasRoom(slot: QpSlot, p: RxPacket, before: number): boolean {
    return before + p.length <= slot.recvRoom;
  }

  /** Whether the queue pair itself permits a WRITE, READ or atomic, whatever its key opens; overridable for planting. */
  protected rightsAllow(c: number, p: RxPacket): boolean {
    if (!(p.bits & (OP.reth | OP.atomic))) return true;
    let need: number = p.bits & OP.write ? QPC_EXT.remoteWrite : QPC_EXT.remoteRead;
    if (p.bits & OP.atomic) need = QPC_EXT.remoteAtomic;
    return ((extension(this.core.bytes.i32, c) >>> 24) & need) !== 0;
  }

  /** Whether a packet is as long as its place asks for; overridable for planting. */
  protected lengthLegal(c: number, p: RxPacket): boolean {
    return lengthLegal(p, qpMtu(this.core.bytes.i32, c));
  }

  /** Whether the word of an atomic lies where it may (4.2 no. 9); overridable for planting. */
  protected isAligned(p: RxPacket): boolean {
    return (p.vaLo & (ATOMIC_BYTES - 1)) === 0;
  }

  /** R_Key, rights and the whole range at the first packet of a WRITE, READ or atomic (zero length: not checked). */
  #checkRemote(c: number, p: RxPacket): number {
    if (p.bits & OP.atomic) {
      p.dmaLength = ATOMIC_BYTES;
      return this.checkKey(c, p, MPT_PERMISSION.remoteAtomic);
    }
    if (!(p.bits & OP.reth) || p.dmaLength === 0) return XLATE.ok;
    const need = p.bits & OP.write ? MPT_PERMISSION.remoteWrite : MPT_PERMISSION.remoteRead;
    return this.checkKey(c, p, need);
  }

  /** Whether the key opens the whole range, for what `need` says; overridable for planting. @returns XLATE */
  protected checkKey(c: number, p: RxPacket, need: number): number {
    const pd = qpPd(this.core.bytes.i32, c);
    this.core.xlate.qpn = p.destQpn;
    const result = this.core.xlate.translate(p.rkey, pd, p.vaHi, p.vaLo, p.dmaLength, need, false, p);
    if (result === XLATE.ok) this.#payload.located = p;
    return result;
  }

  /** Takes the packet into the sequence. */
  #commit(slot: QpSlot, c: number, p: RxPacket): void {
    const w = this.core.bytes.i32;
    const read = (p.opcode & 31) === BTH_OP.readRequest;
    const psns = read ? Math.max(1, Math.ceil(p.dmaLength / qpMtu(w, c))) : 1;
    setExpectedPsn(w, c, psnAdd(p.psn, psns));
    this.core.touch(slot);
    if (this.#isKept(p)) this.ackQueue.appendRequest(slot, p, read ? psns : 0);
    if (read) this.#countMessage(slot, c);
    else if (p.bits & OP.atomic) this.#responses.noteAtomic(slot, c, p);
    else this.#begin(slot, p);
  }

  /** A message is finished, a READ accepted (roce-transport.md 3.2). */
  #countMessage(slot: QpSlot, c: number): void {
    const w = this.core.bytes.i32;
    w[c + QPC_DW.msn] = ((w[c + QPC_DW.msn] as number) + 1) & 0xffffff;
    this.core.touch(slot);
  }

  #begin(slot: QpSlot, p: RxPacket): void {
    if (p.bits & OP.start) {
      slot.messageBytes = 0;
      slot.inMessage = p.bits & OP.send ? IN_MESSAGE.send : IN_MESSAGE.write;
      if (p.bits & OP.reth) {
        slot.writeHi = p.vaHi;
        slot.writeLo = p.vaLo;
        slot.writeKey = p.rkey;
        slot.writeLeft = p.dmaLength;
      }
    }
  }

  #execute(slot: QpSlot, c: number, p: RxPacket, service: number): boolean {
    if ((p.opcode & 31) === BTH_OP.readRequest) {
      this.#responses.read(slot, c, p, this.#msn(c));
      return true;
    }
    if (p.bits & OP.atomic) return this.#executeAtomic(slot, c, p);
    const result = p.bits & OP.send ? this.#payload.scatter(slot, c, p) : this.#payload.write(slot, c, p);
    if (result === XLATE.wait) return false;
    if (result !== XLATE.ok) {
      const reliable = service === QPC_SERVICE.rc;
      const nak = reliable ? SYNDROME.nakOperation : SYNDROME.ack;
      if (p.bits & OP.send) this.#fail(slot, c, p, nak, CQE_SYNDROME.localProtection);
      else if (!reliable) this.#lose(slot);
      else this.#nak(slot, c, p, this.refusalOf(result));
      return true;
    }
    if (slot.rxWrites !== null && (p.bits & OP.end || p.ackRequest)) {
      // What is completed or acknowledged now speaks of all bytes before.
      if (!slot.rxWrites.haveEnded(p)) return false;
      if (slot.rxWrites.takeFailure()) {
        this.#unwritten(slot, c, p, service);
        return true;
      }
    }
    if (p.bits & OP.ieth) {
      const result = this.invalidates(slot, c, p);
      if (result === WAITS) return false;
      if (result !== KEY_CHANGED) {
        this.notInvalidated(slot, c, p);
        return true;
      }
    }
    slot.messageBytes += p.length;
    if (p.bits & OP.end) this.#finishMessage(slot, c, p);
    if (service !== QPC_SERVICE.rc) return true;
    if (p.bits & OP.end) this.#countMessage(slot, c);
    if (p.ackRequest === true) this.acknowledge(slot, c, p);
    return true;
  }

  /** What a SEND with invalidate does once its data are placed (4.6); overridable for planting. @returns as `MemoryKeys.request` */
  protected invalidates(slot: QpSlot, c: number, p: RxPacket): number {
    const { bytes, keys } = this.core;
    p.work ??= new KeyWork(p);
    return keys.invalidateFromAfar(p.work as KeyWork, p.imm | 0, { pd: qpPd(bytes.i32, c), qpn: slot.qpn });
  }

  /** Its key may not be invalidated: its receive fails, and its sender is told nothing (4.2, J), or NAK 0x62; overridable for planting. */
  protected notInvalidated(slot: QpSlot, c: number, p: RxPacket): void {
    const nak = this.core.config.invNak === 0 ? SYNDROME.ack : SYNDROME.nakAccess;
    this.#fail(slot, c, p, nak, CQE_SYNDROME.localQpOperation);
  }

  /** Payload could not be written: the responder's own fault (4.2); unreliable services lose the message. */
  #unwritten(slot: QpSlot, c: number, p: RxPacket, service: number): void {
    if (service !== QPC_SERVICE.rc) this.#lose(slot);
    else if (p.bits & OP.send) this.#fail(slot, c, p, SYNDROME.nakOperation, CQE_SYNDROME.localProtection);
    else this.#nak(slot, c, p, SYNDROME.nakOperation);
  }

  /** @returns false when it has to wait */
  #executeAtomic(slot: QpSlot, c: number, p: RxPacket): boolean {
    const x = this.core.xlate;
    if (!this.ackQueue.open(slot, p)) return false;
    if (this.#atomics.needsAddress(p) && this.#payload.located !== p) {
      // It has waited, and its key may have been taken back meanwhile.
      const remote = this.#checkRemote(c, p);
      if (remote === XLATE.wait) return false;
      if (remote !== XLATE.ok) {
        this.#nak(slot, c, p, this.refusalOf(remote));
        return true;
      }
    }
    this.#payload.located = null;
    const outcome = this.#atomics.run(p, x.target, x.paHi, x.paLo);
    if (outcome === ATOMIC.waiting) return false;
    if (outcome === ATOMIC.failed) {
      this.#nak(slot, c, p, SYNDROME.nakOperation);
      return true;
    }
    this.#countMessage(slot, c);
    const { originalHi, originalLo } = this.#atomics;
    this.ackQueue.append(slot, p, originalHi, originalLo);
    this.#responses.atomic(slot, p.psn, this.#msn(c), originalHi, originalLo, true);
    return true;
  }

  /** The answer to a packet that asked for one; overridable for planting. */
  protected acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    this.#respond(slot, c, SYNDROME.ack, p.psn);
  }

  #finishMessage(slot: QpSlot, c: number, p: RxPacket): void {
    slot.inMessage = IN_MESSAGE.none;
    if (needsReceive(p.bits)) {
      this.completeReceive(slot, c, p, 0);
      this.#receiveQueue.consume(slot, c);
    }
  }

  /** Completion of the receive WQE in use; overridable for planting. */
  protected completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
    const w = this.core.bytes.i32;
    const e = this.#completions.acquire();
    const ud = qpService(w, c) === QPC_SERVICE.ud;
    e.cqn = w[c + QPC_DW.cqnRcv] as number;
    e.qpn = slot.qpn;
    e.remoteQpn = ud ? p.srcQpn : (w[c + QPC_DW.remoteQpn] as number) & 0xffffff;
    e.isSend = false;
    e.opcode = p.opcode & 31;
    e.byteCount = slot.messageBytes;
    e.wqe = slot.recvOffset;
    e.imm = p.bits & (OP.imm | OP.ieth) ? p.imm | 0 : 0;
    e.grh = ud && this.core.config.udGrh !== 0;
    e.solicited = p.solicited;
    e.syndrome = syndrome;
    this.#completions.post(e);
  }

  #notReady(slot: QpSlot, c: number, p: RxPacket): number {
    // Later packets must not raise a sequence NAK (roce-transport.md 3.5).
    slot.nakSent = true;
    this.core.counters.rnrNaks++;
    this.#respond(slot, c, SYNDROME.rnr | minRnrTimer(this.core.bytes.i32, c), p.psn);
    return DONE;
  }

  /** The requester's fault: NAK, error state; a RECV in use is flushed, otherwise an event tells. */
  #nak(slot: QpSlot, c: number, p: RxPacket, syndrome: number): number {
    if (p.bits & OP.atomic && this.discards()) return this.discard(slot, c, p);
    const held = slot.recvSegment >= 0;
    const bits = p.bits & (OP.write | OP.imm);
    const cause = held && bits === (OP.write | OP.imm) && syndrome === SYNDROME.nakAccess;
    if (!held) this.#error.announce(slot, syndrome);
    return this.#fail(slot, c, p, syndrome, cause ? CQE_SYNDROME.localAccess : CQE_SYNDROME.flush);
  }

  /** Whether an atomic that fails is dropped without a word (roce-transport.md 9); overridable for planting. */
  protected discards(): boolean {
    return this.core.config.atomicDiscard !== 0;
  }

  /** It is as if it had not come: what follows is out of sequence until it comes again. Overridable for planting. */
  protected discard(slot: QpSlot, c: number, p: RxPacket): number {
    setExpectedPsn(this.core.bytes.i32, c, p.psn);
    this.core.touch(slot);
    this.#responses.forgetAtomic(slot, p.psn);
    return DONE;
  }

  /** @param nak syndrome of the answer; `SYNDROME.ack`: unreliable services have none */
  #fail(slot: QpSlot, c: number, p: RxPacket, nak: number, local: number): number {
    if (nak !== SYNDROME.ack) this.#respond(slot, c, nak, p.psn);
    if (slot.recvSegment >= 0) {
      this.completeReceive(slot, c, p, local);
      this.#receiveQueue.consume(slot, c);
    }
    this.stop(slot, c, p);
    return DONE;
  }

  /** The error state, behind the answer to packet `_p`; overridable for planting. */
  protected stop(slot: QpSlot, c: number, _p: RxPacket): void {
    this.#error.enter(slot, c);
  }

  /** UC, UD: the message is lost without a word; the receive WQE stays at the head. */
  #lose(slot: QpSlot): number {
    this.#abandon(slot);
    slot.dropping = true;
    return DONE;
  }

  #abandon(slot: QpSlot): void {
    slot.inMessage = IN_MESSAGE.none;
    this.#receiveQueue.giveBack(slot);
  }

  /** What it says that finds no address for what it was asked: the requester's fault, or its own; overridable for planting. */
  protected refusalOf(result: number): number {
    return result === XLATE.failed ? SYNDROME.nakOperation : SYNDROME.nakAccess;
  }

  #respond(slot: QpSlot, c: number, syndrome: number, psn: number): void {
    this.#responses.acknowledge(slot, syndrome, psn, this.#msn(c));
  }

  #msn(c: number): number {
    return this.core.bytes.i32[c + QPC_DW.msn] as number;
  }
}

/**
 * PSN for the acknowledgement of a duplicate: the newest in order, but never one that belongs to a READ, which only its
 * data may acknowledge (roce-transport.md 3.3, 3.6).
 */
function newestPlain(slot: QpSlot, duplicate: number, expected: number): number {
  let psn = psnAdd(expected, -1);
  const reads = slot.savedReads ?? [];
  for (let i = reads.length - 1; i >= 0; i--) {
    const read = reads[i] as SavedRead;
    if (isOfRead(read, psn)) psn = psnAdd(read.psn, -1);
  }
  return psnCmp(psn, duplicate) >= 0 ? psn : duplicate;
}
