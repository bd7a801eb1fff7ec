/**
 * Completion-queue rings in host memory: initialisation, what arrives, and polling (hangu-interface.md 8.2).
 *
 * Ownership is in the last byte of an entry: 0x80 while the NIC may write it, 0 when it holds a completion. Software
 * sets it back to 0x80 after taking the completion. The NIC keeps no consumer index.
 */

import type { SubjectPart } from '../../../../rdma/subject.ts';
import { aCompletionQueue, aQueuePair } from '../../../../rdma/subjectParts.ts';
import { WorkCompletion } from '../../../../agents/verbs/verbsItems.ts';
import { CQ_AREA } from '../../layout/addressMap.ts';
import { CQE_BYTES, CQE_OWNER_HW } from '../../layout/queues.ts';
import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../../rdma/verbs.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import { CQE_PROBLEM } from './cqeDecoder.ts';
import type { CqeDecoder } from './cqeDecoder.ts';
import type { CqPlace, HanguCq, HanguQp } from '../hanguObjects.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';
import { hex } from '../../../../uvm/report/hexTexts.ts';

const ENTRY_LOG2 = Math.log2(CQE_BYTES);
const ENTRY_MASK = CQE_BYTES - 1;
/** A queue that is resized has its rings in the two halves of its window by turns. */
export const CQ_HALF = CQ_AREA.bytes / 2;
const OWNER_BITS = CQE_OWNER_HW << 24;
/** Queue-pair number of an entry whose queue pair has been reset: polling skips it. */
const CLEANED = -1;

export class CqRing {
  readonly #host: ProviderHost;
  readonly #decoder: CqeDecoder;
  /** The completion that arrived last. */
  readonly #arrival = new WorkCompletion();
  readonly #discarded = new WorkCompletion();
  /**
   * Dword of its entry while it is being announced and the decoder has not read another one, else -1: who is told and
   * polls at once gets what has been decoded already.
   */
  #announced = -1;

  constructor(host: ProviderHost, decoder: CqeDecoder) {
    this.#host = host;
    this.#decoder = decoder;
  }

  /** Gives every entry of a ring to the NIC. */
  initialise(cq: HanguCq, place: CqPlace = cq): void {
    for (let i = 0; i < place.entries; i++) {
      const at = this.#seek(cq, placeAt(place, i));
      this.#host.bytes.i32[at + 7] = OWNER_BITS;
    }
  }

  /** The NIC has gone over to the next ring, where completions that are not taken yet are brought to their places. */
  goOver(cq: HanguCq, next: CqPlace): void {
    const end = cq.switchedAt < 0 ? cq.produced : cq.switchedAt;
    for (let n = cq.consumed; n < end; n++) {
      const from = this.#seek(cq, entryOf(cq, cq, n));
      const to = this.#seek(cq, entryOf(cq, next, n));
      this.#host.bytes.i32.copyWithin(to, from, from + CQE_BYTES / 4);
    }
    cq.start = next.start;
    cq.entries = next.entries;
    cq.next = null;
    cq.switchedAt = -1;
  }

  /** Takes the next completion; false when the NIC still owns the entry. */
  poll(cq: HanguCq, wc: WorkCompletion): boolean {
    for (;;) {
      const at = this.#seek(cq, placeOf(cq, cq.consumed));
      const w = this.#host.bytes.i32;
      if (((w[at + 7] as number) & OWNER_BITS) !== 0) return false;
      if (at === this.#announced) copyCompletion(this.#arrival, wc);
      else this.#decoder.decode(w, at, wc);
      this.#announced = -1;
      const cleaned = (w[at] as number) === CLEANED;
      w[at + 7] = OWNER_BITS;
      cq.consumed++;
      if (cleaned) continue;
      const qp = this.#decoder.qp;
      if (qp !== null) this.#retire(qp, this.#decoder.slot, wc);
      return true;
    }
  }

  /** The NIC wrote `length` bytes at the physical address (physHi, physLo), which lies in the ring's window. */
  arrived(cq: HanguCq, physHi: number, physLo: number, length: number): void {
    const place = this.#offsetOf(cq, physHi, physLo);
    const ring = cq.next !== null && (place & CQ_HALF) === cq.next.start ? cq.next : cq;
    const offset = place - ring.start;
    const end = offset + length;
    const first = offset >>> ENTRY_LOG2;
    if (((offset | end) & ENTRY_MASK) !== 0 || offset < 0 || end > ring.entries << ENTRY_LOG2)
      this.#wrongShape(cq, offset, length);
    else if (length === CQE_BYTES) this.#entryArrived(cq, ring, first);
    else for (let i = first; i < end >>> ENTRY_LOG2; i++) this.#entryArrived(cq, ring, i);
  }

  /** Discards what is visible and not yet polled of a queue pair that is being reset. */
  clean(cq: HanguCq, qpn: number): void {
    for (let n = cq.consumed; n < cq.produced; n++) {
      const at = this.#seek(cq, placeOf(cq, n));
      if (this.#host.bytes.i32[at] === qpn) this.#discard(at);
    }
    this.#skipCleaned(cq);
  }

  /** A completion that nobody will see: what it says of a shared queue counts all the same. */
  #discard(at: number): void {
    const decoder = this.#decoder;
    decoder.decode(this.#host.bytes.i32, at, this.#discarded);
    if (!this.#discarded.isSend && decoder.slot >= 0) decoder.qp?.srq?.putBack(decoder.slot);
    this.#host.bytes.i32[at] = CLEANED;
  }

  /** So that `arrived` of a queue says what a poll would find, entries at its head that were discarded go at once. */
  #skipCleaned(cq: HanguCq): void {
    while (cq.consumed < cq.produced) {
      const at = this.#seek(cq, placeOf(cq, cq.consumed));
      const w = this.#host.bytes.i32;
      if (w[at] !== CLEANED || ((w[at + 7] as number) & OWNER_BITS) !== 0) return;
      w[at + 7] = OWNER_BITS;
      cq.consumed++;
    }
  }

  #entryArrived(cq: HanguCq, ring: CqPlace, index: number): void {
    if (ring !== cq && cq.switchedAt < 0) cq.switchedAt = cq.produced;
    const at = this.#seek(cq, placeAt(ring, index));
    const wc = this.#arrival;
    const decoder = this.#decoder;
    const w = this.#host.bytes.i32;
    const expected = index === ((cq.first + cq.produced) & (ring.entries - 1)) && (ring !== cq || cq.switchedAt < 0);
    if (!expected) this.#wrongIndex(cq, ring, index);
    else if (cq.produced - cq.consumed >= ring.entries) this.#overrun(cq, ring);
    else cq.produced++;
    if ((w[at + 7] as number) >>> 24 !== 0) this.#wrongOwner(cq, at);
    decoder.decode(w, at, wc);
    if (decoder.problem !== 0) this.#report(cq, wc);
    const qp = decoder.qp;
    if (qp !== null && (wc.isSend === true ? qp.sendCq : qp.recvCq) !== cq) this.#wrongQueue(cq, qp);
    this.#announced = at;
    this.#host.visible(cq, wc, expected);
    this.#announced = -1;
  }

  /** Byte of the ring's window behind a physical address. */
  #offsetOf(cq: HanguCq, physHi: number, physLo: number): number {
    if ((physLo & -PAGE_BYTES) === cq.ringPhysLo && cq.ringPage >= 0)
      return cq.ringPage * PAGE_BYTES + (physLo & (PAGE_BYTES - 1));
    const { map } = this.#host;
    map.reverse(physHi, physLo);
    return map.virtLo & (CQ_AREA.bytes - 1);
  }

  /** Frees the request's slot, and those of earlier requests that had no completion; notes a broken queue pair. */
  #retire(qp: HanguQp, slot: number, wc: WorkCompletion): void {
    if (slot >= 0) {
      if (wc.isSend === true) {
        const n = ((slot - qp.sqFreed) & (qp.sqSlots - 1)) + 1;
        if (n <= qp.sqPosted - qp.sqFreed) qp.sqFreed += n;
      } else if (qp.srq !== null) qp.srq.putBack(slot);
      else {
        const n = ((slot - qp.rqFreed) & (qp.rqSlots - 1)) + 1;
        if (n <= qp.rqPosted - qp.rqFreed) qp.rqFreed += n;
      }
    }
    if (wc.status !== WC_STATUS.success && qp.state !== QP_STATE.reset) noteError(qp, wc);
  }

  /** Dword of the entry at an offset in the window. The page found last is remembered: most rings have only one. */
  #seek(cq: HanguCq, offset: number): number {
    const page = offset >>> 12;
    if (page !== cq.ringPage) this.#findPage(cq, page);
    return cq.storeDword + ((offset & (PAGE_BYTES - 1)) >>> 2);
  }

  #findPage(cq: HanguCq, page: number): void {
    const { map, memory } = this.#host;
    map.translate(cq.process, CQ_AREA.hi | (cq.cqn >>> 12), (cq.cqn << CQ_AREA.cqnShift) | (page << 12));
    cq.storeDword = memory.pageForWrite(map.physHi, map.physLo >>> 12) >>> 2;
    cq.ringPhysLo = map.physLo;
    cq.ringPage = page;
  }

  #wrongShape(cq: HanguCq, offset: number, length: number): void {
    const where = offset < 0 ? 'in front of its ring' : `at ring offset ${offset}`;
    this.#host.error('HCA_CQE_SHAPE', `CQ ${cq.cqn}: ${length} bytes ${where}`, ...this.#subject(cq));
  }

  #wrongIndex(cq: HanguCq, ring: CqPlace, index: number): void {
    const gone = ring === cq && cq.switchedAt >= 0;
    const expected = (cq.first + cq.produced) & ((gone ? (cq.next as CqPlace) : ring).entries - 1);
    const where = gone ? `${expected} of the ring that it was resized to` : String(expected);
    this.#host.error(
      'HCA_CQE_INDEX',
      `CQ ${cq.cqn}: entry ${index} was written, the next one is ${where}`,
      ...this.#subject(cq),
    );
  }

  #overrun(cq: HanguCq, ring: CqPlace): void {
    this.#host.error(
      'HCA_CQ_OVERRUN',
      `CQ ${cq.cqn}: all ${ring.entries} entries hold unpolled completions`,
      ...this.#subject(cq),
    );
  }

  /** Goes on as if the owner were right, so that one mistake is reported once. */
  #wrongOwner(cq: HanguCq, at: number): void {
    const w = this.#host.bytes.i32;
    const owner = (w[at + 7] as number) >>> 24;
    this.#host.error('HCA_CQE_OWNER', `CQ ${cq.cqn}: owner byte ${hex(owner)} instead of 0`, ...this.#subject(cq));
    w[at + 7] = (w[at + 7] as number) & 0xff_ffff;
  }

  #wrongQueue(cq: HanguCq, qp: HanguQp): void {
    const want = `${qp.sendCq.cqn} for sends and ${qp.recvCq.cqn} for receives`;
    this.#host.error(
      'HCA_CQE_WRONG_CQ',
      `CQ ${cq.cqn}: completion of QP ${qp.qpn}, which uses ${want}`,
      ...this.#subject(cq, qp.qpn),
    );
  }

  #subject(cq: HanguCq, qpn = -1): SubjectPart[] {
    const { host } = this.#host;
    return [aCompletionQueue(host, cq.cqn), ...(qpn < 0 ? [] : [aQueuePair(host, qpn)])];
  }

  #report(cq: HanguCq, wc: WorkCompletion): void {
    const problem = this.#decoder.problem;
    const where = `CQ ${cq.cqn}, completion of QP ${wc.qpn}`;
    if ((problem & CQE_PROBLEM.qp) !== 0)
      this.#host.error('HCA_CQE_UNKNOWN_QP', `${where}: there is no such QP`, ...this.#subject(cq, wc.qpn));
    if ((problem & CQE_PROBLEM.reserved) !== 0)
      this.#host.error(
        'HCA_CQE_RESERVED',
        `${where}: my_ee, byte 30, or an immediate that the message has not`,
        ...this.#subject(cq, wc.qpn),
      );
    const field = problem & (CQE_PROBLEM.opcode | CQE_PROBLEM.direction | CQE_PROBLEM.offset);
    if (field === 0) return;
    const names = ['opcode', 'is_send', 'wqe'].filter((_, i) => (field & (CQE_PROBLEM.opcode << i)) !== 0);
    this.#host.error('HCA_CQE_FIELD', `${where}: ${names.join(', ')} out of range`, ...this.#subject(cq, wc.qpn));
  }
}

/** Offset in the window of an entry of a ring; numbers go round. */
function placeAt(ring: CqPlace, entry: number): number {
  return ring.start + ((entry & (ring.entries - 1)) << ENTRY_LOG2);
}

/** Offset in the window of the n-th completion of a queue, where that is in a ring. */
function entryOf({ first }: HanguCq, ring: CqPlace, n: number): number {
  return placeAt(ring, first + n);
}

/** Offset in the window of the n-th completion of a queue. */
function placeOf(cq: HanguCq, n: number): number {
  return entryOf(cq, cq.next !== null && cq.switchedAt >= 0 && n >= cq.switchedAt ? cq.next : cq, n);
}

/** The state that a queue pair is in after an error (roce-transport.md 6.3). */
function noteError(qp: HanguQp, wc: WorkCompletion): void {
  if (wc.isSend) qp.sqFailed++;
  if (qp.state === QP_STATE.err) return;
  if (!wc.isSend || qp.type === QP_TYPE.rc) qp.state = QP_STATE.err;
  // What is flushed tells of no new stop, and software may have ended an old one before it takes the completion.
  else if (wc.status !== WC_STATUS.wrFlushErr && qp.sqFreed > qp.sqRecovered) qp.state = QP_STATE.sqe;
}

function copyCompletion(from: WorkCompletion, to: WorkCompletion): void {
  to.wrId = from.wrId;
  to.status = from.status;
  to.opcode = from.opcode;
  to.vendorErr = from.vendorErr;
  to.byteLen = from.byteLen;
  to.qpn = from.qpn;
  to.srcQp = from.srcQp;
  to.imm = from.imm;
  to.flags = from.flags;
  to.isSend = from.isSend;
  to.wqeIndex = from.wqeIndex;
}
