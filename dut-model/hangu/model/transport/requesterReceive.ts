/**
 * Requester, receive side: acknowledgements, NAKs, READ responses and the answers of atomics (roce-transport.md 3.6 to
 * 3.10).
 */
import { BTH_OP, SYNDROME } from '../../../../rdma/bth.ts';
import { RNR_TIMER_PS } from '../../../../rdma/timers.ts';
import { MPT_PERMISSION, QPC_STATE } from '../../layout/contexts.ts';
import { ATOMIC_BYTES } from '../../../../rdma/verbs.ts';
import { CQE_SYNDROME, isAtomic, isFetch } from '../../layout/queues.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { WritesUnderWay } from '../../../roce/memoryTarget.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { isAddressed } from './addressee.ts';
import type { CongestionUnit } from './congestionUnit.ts';
import type { HanguCore } from '../core.ts';
import { NO_CONTEXT, WAIT } from '../core.ts';
import { qpMtu, qpPd, QPC_DW, qpState } from '../qpContext.ts';
import type { QpSlot, SendRequest } from './qpSlot.ts';
import type { Requester } from './requester.ts';
import type { SendCompletion } from './sendCompletion.ts';
import { XLATE } from '../memory/translation.ts';

export class RequesterReceive {
  protected readonly core: HanguCore;
  readonly #requester: Requester;
  readonly #completion: SendCompletion;
  readonly #congestion: CongestionUnit;

  constructor(core: HanguCore, requester: Requester, completion: SendCompletion, congestion: CongestionUnit) {
    this.core = core;
    this.#requester = requester;
    this.#completion = completion;
    this.#congestion = congestion;
  }

  /** Processes one response. @returns false when it has to wait and will be resumed. */
  handle(slot: QpSlot, p: RxPacket): boolean {
    const core = this.core;
    const c = core.contextOf(slot, p);
    if (c === WAIT) return false;
    if (c === NO_CONTEXT) return core.dropped('noQp');
    const w = core.bytes.i32;
    const state = qpState(w, c);
    if (state !== QPC_STATE.rts && state !== QPC_STATE.sqd) return core.dropped('badState');
    if (p.stage === 0) {
      // Once: of the answer of an atomic that waits to be placed only the value is kept, not its frame.
      if (!isAddressed(core, c, p)) return true;
      if (psnCmp(p.psn, w[c + QPC_DW.unaPsn] as number) < 0) return true;
      if (psnCmp(p.psn, w[c + QPC_DW.nextPsn] as number) >= 0) return true;
    }
    const operation = p.opcode & 31;
    if (p.marked && operation !== BTH_OP.acknowledge) {
      core.prepareTemplate(slot, c);
      this.#congestion.accepted(slot, p);
    }
    if (operation === BTH_OP.acknowledge) this.acknowledge(slot, c, p);
    else if (operation <= BTH_OP.readResponseOnly || operation === BTH_OP.atomicAcknowledge)
      return this.#answer(slot, c, p);
    else this.#badResponse(slot, c, p.psn);
    return true;
  }

  /** An ACK, RNR NAK or NAK; overridable for planting. */
  protected acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    const type = p.syndrome >>> 5;
    if (type === 0) this.acknowledged(slot, c, p.psn);
    else if (type === 1) this.#rnr(slot, c, p);
    else if (type === 3) this.#nak(slot, c, p);
    else this.#badResponse(slot, c, p.psn);
  }

  /**
   * Everything up to and including `psn` is acknowledged, as far as no unanswered READ or atomic stands in between. A plain
   * ACK for its own PSN is a bad response; beyond it, or by what is about a later PSN, the READ's answer was lost (3.7).
   * @param implied by a NAK or a READ response, which are about a later PSN
   */
  protected acknowledged(slot: QpSlot, c: number, psn: number, implied = false): void {
    let una = this.#una(c);
    const before = una;
    let resent = false;
    let r = slot.head;
    while (r !== null && r.firstPsn >= 0 && psnCmp(r.firstPsn, psn) <= 0) {
      if (isFetch(r.opcode)) {
        if (una !== before) this.#progress(slot, c, una);
        if (!implied && psnCmp(psn, r.lastPsn) <= 0) this.#badResponse(slot, c, psn);
        else this.#impliedNak(slot, c);
        return;
      }
      if (psnCmp(r.lastPsn, psn) > 0) {
        una = psnAdd(psn, 1);
        break;
      }
      una = psnAdd(r.lastPsn, 1);
      if (r.sent !== true) resent = true;
      this.#completion.completeHead(slot, 0);
      r = slot.head;
    }
    if (una === before) return;
    this.#progress(slot, c, una);
    if (resent || isBefore(slot, una)) this.#requester.goBack(slot, una);
  }

  /** Retry from the first missing response (roce-transport.md 3.7), counted once until progress. */
  #impliedNak(slot: QpSlot, c: number): void {
    const una = this.#una(c);
    if (slot.retrying && slot.retryPsn === una) return;
    this.#completion.retry(slot, c, una);
  }

  #una(c: number): number {
    return this.core.bytes.i32[c + QPC_DW.unaPsn] as number;
  }

  #progress(slot: QpSlot, c: number, una: number): void {
    this.core.bytes.i32[c + QPC_DW.unaPsn] = una;
    this.core.touch(slot);
    this.#completion.progress(slot, una);
    this.#requester.schedule(slot);
  }

  /** A NAK acknowledges everything before its PSN. @returns false when an unanswered READ was in the way. */
  #acknowledgeBefore(slot: QpSlot, c: number, psn: number): boolean {
    if (psn === this.#una(c)) return true;
    this.acknowledged(slot, c, psnAdd(psn, -1), true);
    return this.#una(c) === psn;
  }

  #rnr(slot: QpSlot, c: number, p: RxPacket): void {
    if (slot.rnrWait || !this.#acknowledgeBefore(slot, c, p.psn)) return;
    this.#completion.receiverNotReady(slot, c, p.psn, RNR_TIMER_PS[p.syndrome & 31] as number);
  }

  #nak(slot: QpSlot, c: number, p: RxPacket): void {
    if (slot.retrying && slot.retryPsn === p.psn && p.syndrome === SYNDROME.nakSequence) return;
    if (!this.#acknowledgeBefore(slot, c, p.psn)) return;
    if (p.syndrome === SYNDROME.nakSequence) this.#completion.retry(slot, c, p.psn);
    else this.#completion.fail(slot, c, NAK_SYNDROME[p.syndrome - SYNDROME.nakInvalid] ?? CQE_SYNDROME.badResponse);
  }

  /**
   * A response that answers nothing that was asked: BAD_RESP_ERR on the request that owns its PSN. What lies before that is
   * acknowledged; an unanswered READ there is asked for again instead.
   */
  #badResponse(slot: QpSlot, c: number, psn: number): void {
    const r = slot.head;
    if (r === null) return;
    const owns = r.firstPsn < 0 || psnCmp(psn, r.lastPsn) <= 0;
    if (owns || this.#acknowledgeBefore(slot, c, psn)) this.#completion.fail(slot, c, CQE_SYNDROME.badResponse);
  }

  /** A READ response, or the answer of an atomic. */
  #answer(slot: QpSlot, c: number, p: RxPacket): boolean {
    if (p.stage === 0) {
      let r = slot.head;
      // A response also acknowledges every request before its READ, up to a READ whose own answer was lost.
      if (r !== null && !isFetch(r.opcode) && r.firstPsn >= 0 && psnCmp(r.lastPsn, p.psn) < 0) {
        this.acknowledged(slot, c, psnAdd(this.#readStart(slot, p.psn), -1), true);
        r = slot.head;
      }
      if (r === null) return true;
      if (!isFetch(r.opcode)) {
        this.#badResponse(slot, c, p.psn);
        return true;
      }
      if (p.psn !== this.#una(c)) {
        this.#impliedNak(slot, c);
        return true;
      }
      if (!this.accepts(r, p)) {
        this.#completion.fail(slot, c, CQE_SYNDROME.badResponse);
        return true;
      }
      if (!this.#accept(slot, c, r, p)) return true;
      p.stage = 1;
    }
    const r = slot.head;
    if (r === null || !isFetch(r.opcode)) return true;
    if (!this.#place(slot, c, r, p)) return false;
    return true;
  }

  /** First PSN of the READ that owns `psn`, or `psn` itself. */
  #readStart(slot: QpSlot, psn: number): number {
    for (let r = slot.head; r !== null && r.firstPsn >= 0; r = r.next) {
      if (psnCmp(r.lastPsn, psn) >= 0) return psnCmp(r.firstPsn, psn) <= 0 ? r.firstPsn : psn;
    }
    return psn;
  }

  /** Whether the answer is of the kind that the request asked for; overridable for planting. */
  protected accepts(r: SendRequest, p: RxPacket): boolean {
    return isAtomic(r.opcode) === ((p.bits & OP.atomicAck) !== 0);
  }

  /** Opcode, syndrome and length of an in-order response. */
  #accept(slot: QpSlot, c: number, r: SendRequest, p: RxPacket): boolean {
    if (isAtomic(r.opcode)) return this.#acceptAtomic(slot, c, p);
    const mtu = qpMtu(this.core.bytes.i32, c);
    const k = psnCmp(p.psn, r.firstPsn);
    const last = k === r.psns - 1;
    if (!fits(p.opcode & 31, k, last, r.readBase) || ((p.bits & OP.aeth) !== 0 && p.syndrome >>> 5 !== 0)) {
      this.#completion.fail(slot, c, CQE_SYNDROME.badResponse);
      return false;
    }
    if (p.length !== (last ? r.length - k * mtu : mtu)) {
      this.#completion.fail(slot, c, CQE_SYNDROME.localLength);
      return false;
    }
    return true;
  }

  /** The original value becomes eight bytes of payload, as the memory of a host has them. */
  #acceptAtomic(slot: QpSlot, c: number, p: RxPacket): boolean {
    if (p.syndrome >>> 5 !== 0 || p.length !== 0) {
      this.#completion.fail(slot, c, CQE_SYNDROME.badResponse);
      return false;
    }
    const { blocks, bytes } = this.core;
    const block = blocks.acquire();
    p.payload = blocks.offset(block);
    p.length = ATOMIC_BYTES;
    this.original(bytes.i32, p.payload >> 2, p);
    blocks.release(p.block);
    p.block = block;
    return true;
  }

  /** The original value that an atomic brought back, as software finds it, at dword `at`; overridable for planting. */
  protected original(w: Int32Array, at: number, p: RxPacket): void {
    w[at] = p.swapLo;
    w[at + 1] = p.swapHi;
  }

  /** Scatters the payload into the READ's data segments; false when it has to wait. */
  #place(slot: QpSlot, c: number, r: SendRequest, p: RxPacket): boolean {
    const core = this.core;
    const x = core.xlate;
    const pd = qpPd(core.bytes.i32, c);
    while (p.done < p.length) {
      const w = core.bytes.i32;
      const d = r.segments + r.sge * 4;
      const room = (w[d] as number) - r.sgeDone;
      if (room === 0) {
        r.sge++;
        r.sgeDone = 0;
        continue;
      }
      const base = w[d + 2] as number;
      const lo = (base + r.sgeDone) | 0;
      const hi = (w[d + 3] as number) + (lo >>> 0 < base >>> 0 ? 1 : 0);
      const result = x.translate(w[d + 1] as number, pd, hi, lo, room, MPT_PERMISSION.localWrite, false, p);
      if (result === XLATE.wait) return false;
      if (result !== XLATE.ok) {
        this.#completion.fail(slot, c, CQE_SYNDROME.localProtection);
        return true;
      }
      let n = p.length - p.done;
      if (room < n) n = room;
      if (x.available < n) n = x.available;
      this.store(p, x.paHi, x.paLo, n);
      p.done += n;
      r.sgeDone += n;
    }
    const writes = slot.rspWrites;
    if (writes !== null && p.psn === r.lastPsn) {
      // The completion speaks of all bytes of the READ.
      if (!writes.haveEnded(p)) return false;
      if (writes.takeFailure()) {
        this.#completion.fail(slot, c, CQE_SYNDROME.localProtection);
        return true;
      }
    }
    this.#placed(slot, c, r, p);
    return true;
  }

  /** One DMA write of payload; overridable for planting. */
  protected store(p: RxPacket, hi: number, lo: number, n: number): void {
    const core = this.core;
    const { target } = core.xlate;
    target.delay = core.cycles(core.config.receiveCycles);
    if (target.isPosted) target.write(hi, lo, n, p.payload + p.done, p.block);
    else {
      const slot = p.slot as QpSlot;
      slot.rspWrites ??= new WritesUnderWay();
      target.write(hi, lo, n, p.payload + p.done, p.block, slot.rspWrites.begin());
    }
    target.delay = 0;
  }

  #placed(slot: QpSlot, c: number, r: SendRequest, p: RxPacket): void {
    const una = psnAdd(p.psn, 1);
    const last = p.psn === r.lastPsn;
    const resent = last && !r.sent;
    if (last) {
      slot.reads--;
      this.#completion.completeHead(slot, 0);
    }
    this.#progress(slot, c, una);
    // What is left of a READ that is about to be asked for again begins behind what has come meanwhile.
    if (resent || (!last && isBefore(slot, una))) this.#requester.goBack(slot, una);
  }
}

const NAK_SYNDROME = [
  CQE_SYNDROME.remoteInvalidRequest,
  CQE_SYNDROME.remoteAccess,
  CQE_SYNDROME.remoteOperation,
] as const;

/**
 * Whether a response operation can stand at position k of a READ whose latest request asked from `base` on. A request
 * sent again starts with FIRST or ONLY at its base; what is left of an earlier answer goes on with MIDDLE and LAST.
 */
function fits(operation: number, k: number, last: boolean, base: number): boolean {
  const starts = last ? BTH_OP.readResponseOnly : BTH_OP.readResponseFirst;
  const goesOn = last ? BTH_OP.readResponseLast : BTH_OP.readResponseMiddle;
  return (operation === starts && k === base) || (operation === goesOn && k > 0);
}

/** Whether what is about to be sent again has been acknowledged: an answer has overtaken a refusal or a time-out. */
function isBefore({ cursor, cursorPacket }: QpSlot, una: number): boolean {
  return cursor !== null && cursor.firstPsn >= 0 && psnCmp(psnAdd(cursor.firstPsn, cursorPacket), una) < 0;
}
