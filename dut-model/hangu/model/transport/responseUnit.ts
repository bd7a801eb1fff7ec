/**
 * Responses: ACKs, NAKs, READ response packets and the answers of atomics, sent strictly in PSN order (roce-transport.md
 * 3.3, 3.9). An ACK that follows an unfinished READ waits for its last packet; otherwise it leaves at once.
 */
import { BTH_OP, SYNDROME } from '../../../../rdma/bth.ts';
import { CQE_SYNDROME } from '../../layout/queues.ts';
import type { Frame } from '../../../nic.ts';
import { swap32 } from '../../../roce/endian.ts';
import { bthWord0, P_KEY_DEFAULT } from '../../../roce/frameBuilder.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import type { Gather } from '../memory/gather.ts';
import { mostAnswers, qpMtu, qpPd } from '../qpContext.ts';
import { NO_READ, RESPONSE, ResponseItem } from './qpSlot.ts';
import type { PacketJob, QpSlot, SavedRead } from './qpSlot.ts';
import { Ring } from '../queues/ring.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';

/** AETH and AtomicAckETH. */
const ATOMIC_ANSWER_BYTES = 12;

/** Who is told that a READ cannot be answered to its end. */
export interface ReadFailure {
  readFailed(slot: QpSlot, nak: number, psn: number, msn: number): void;
}

export class ResponseUnit {
  /** Set once after construction. */
  failure!: ReadFailure;

  protected readonly core: HanguCore;
  readonly #gather: Gather;
  readonly #active = new Ring<QpSlot>();
  #jobs = 0;
  #free: ResponseItem | null = null;
  #pumping = false;
  /** Latency in ps from the word of an atomic to its answer. */
  readonly #executePs: number;

  constructor(core: HanguCore, gather: Gather) {
    this.core = core;
    this.#executePs = core.cycles(core.config.atomicCycles);
    this.#gather = gather;
  }

  /** Queues an ACK or NAK. */
  acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    if (slot.respHead === null && slot.rtHead === null) {
      const frame = this.core.link.acquire();
      const end = this.#beginAcknowledgement(frame, slot, syndrome, this.ackPsn(psn), msn);
      this.#gather.sendFrame(frame, slot.l3Bytes, end);
      return;
    }
    const item = this.#acquire();
    item.kind = RESPONSE.acknowledgement;
    item.syndrome = syndrome;
    item.psn = psn;
    item.msn = msn;
    this.#append(slot, item);
  }

  /** Queues the answer of an atomic. @param fresh it has been executed just now */
  atomic(slot: QpSlot, psn: number, msn: number, hi: number, lo: number, fresh: boolean): void {
    if (slot.respHead === null && slot.rtHead === null) {
      const frame = this.core.link.acquire();
      const end = this.#beginAtomic(frame, slot, psn, msn, hi, lo);
      this.#gather.sendFrame(frame, slot.l3Bytes, end, fresh ? this.#executePs : 0);
      return;
    }
    const item = this.#acquire();
    item.kind = RESPONSE.atomic;
    item.fresh = fresh;
    item.psn = psn;
    item.msn = msn;
    item.vaHi = hi;
    item.vaLo = lo;
    if (fresh) slot.respReads++;
    this.#append(slot, item);
  }

  /** An atomic has been accepted: only its own answer acknowledges it, and it has its place among those known (3.9). */
  noteAtomic(slot: QpSlot, c: number, p: RxPacket): void {
    this.#remember(slot, c, p, 1, true);
  }

  /** An atomic that had been accepted was dropped after all. */
  forgetAtomic(slot: QpSlot, psn: number): void {
    const newest = slot.savedReads?.at(-1);
    if (newest?.atomic === true && newest.psn === psn) slot.savedReads?.pop();
  }

  /** Queues the responses of an accepted READ and remembers it for duplicates. */
  read(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    const mtu = qpMtu(this.core.bytes.i32, c);
    const psns = Math.max(1, Math.ceil(p.dmaLength / mtu));
    this.#remember(slot, c, p, psns, false);
    slot.respReads++;
    this.#queueRead(slot, c, p, psns, msn, true);
  }

  /** Whether a READ that comes in order finds a resource free (roce-transport.md 3.11); overridable for planting. */
  hasRoom(slot: QpSlot, c: number): boolean {
    return slot.respReads < mostAnswers(this.core.bytes.i32, c);
  }

  /** A duplicate READ: executed again when it lies within one that is still known, with the same key (3.9). */
  repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    if (slot.savedReads?.some((s) => covers(s, p)) === true) this.#repeat(slot, c, p, msn);
  }

  /** The same for a READ that is known from elsewhere. */
  repeatKept(slot: QpSlot, c: number, p: RxPacket, msn: number, saved: SavedRead): void {
    if (covers(saved, p)) this.#repeat(slot, c, p, msn);
  }

  #repeat(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    const psns = Math.max(1, Math.ceil(p.dmaLength / qpMtu(this.core.bytes.i32, c)));
    this.#queueRead(slot, c, p, psns, msn, false);
  }

  pump(): void {
    if (this.#active.length === 0 || this.#pumping) return;
    this.#pumping = true;
    const { egress, config } = this.core;
    while (this.#active.length > 0 && this.#jobs < config.responseJobs && !egress.isFull()) {
      const slot = this.#active.shift() as QpSlot;
      slot.respQueued = false;
      if (slot.respTurnLeft === 0) slot.respTurnLeft = config.turnPackets;
      this.#step(slot);
    }
    this.#pumping = false;
  }

  /**
   * The queue pair answers nothing any more (roce-transport.md 5.3, 6.4). Packets that wait for their payload are
   * thrown away when it has come.
   */
  drop(slot: QpSlot): void {
    slot.respEpoch++;
    slot.respReads = 0;
    while (slot.respHead !== null) this.#pop(slot);
  }

  /** What a response packet waited for has arrived. A queue pair that was stopped needs nothing more. */
  resumeJob(j: PacketJob): void {
    if (j.epoch !== j.slot.respEpoch) {
      j.left = 0;
      j.ready = j.pending === 0;
    } else this.#gather.run(j);
    this.jobProgress(j);
  }

  jobProgress(j: PacketJob): void {
    if (j.ready) this.#emit(j.slot);
    this.pump();
  }

  reset(): void {
    this.#active.clear();
    this.#jobs = 0;
  }

  #queueRead(slot: QpSlot, c: number, p: RxPacket, psns: number, msn: number, fresh: boolean): void {
    const w = this.core.bytes.i32;
    const item = this.#acquire();
    item.kind = RESPONSE.read;
    item.fresh = fresh;
    item.psn = p.psn;
    item.psns = psns;
    item.sent = 0;
    item.msn = msn;
    item.vaHi = p.vaHi;
    item.vaLo = p.vaLo;
    item.rkey = p.rkey;
    item.length = p.dmaLength;
    item.mtu = qpMtu(w, c);
    item.pd = qpPd(w, c);
    this.#append(slot, item);
  }

  #remember(slot: QpSlot, c: number, p: RxPacket, psns: number, atomic: boolean): void {
    const limit = Math.max(1, mostAnswers(this.core.bytes.i32, c));
    slot.savedReads ??= [];
    const full = slot.savedReads.length >= limit;
    const s = full ? (slot.savedReads.shift() as SavedRead) : { ...NO_READ };
    s.psn = p.psn;
    s.psns = psns;
    s.vaHi = p.vaHi;
    s.vaLo = p.vaLo;
    s.rkey = p.rkey;
    s.length = p.dmaLength;
    s.atomic = atomic;
    slot.savedReads.push(s);
  }

  #append(slot: QpSlot, item: ResponseItem): void {
    if (slot.respTail === null) slot.respHead = item;
    else slot.respTail.next = item;
    slot.respTail = item;
    this.#schedule(slot);
  }

  #schedule(slot: QpSlot): void {
    if (slot.respQueued) return;
    slot.respQueued = true;
    if (slot.respTurnLeft > 0) this.#active.unshift(slot);
    else this.#active.push(slot);
  }

  /** Makes one packet of the oldest item. */
  #step(slot: QpSlot): void {
    const item = slot.respHead;
    if (item === null || slot.respJobs >= this.core.config.jobsPerQp) return;
    const j = this.#packet(slot, item);
    if (item.kind !== RESPONSE.read || ++item.sent === item.psns) this.#pop(slot);
    if (slot.rtTail === null) slot.rtHead = j;
    else slot.rtTail.next = j;
    slot.rtTail = j;
    slot.respJobs++;
    this.#jobs++;
    slot.respTurnLeft--;
    if (slot.respHead !== null) this.#schedule(slot);
    this.#gather.run(j);
    if (j.ready) this.#emit(slot);
  }

  #packet(slot: QpSlot, item: ResponseItem): PacketJob {
    if (item.kind === RESPONSE.read) return this.#responsePacket(slot, item);
    const j = this.#job(slot);
    j.l3Bytes = slot.l3Bytes;
    const frame = j.frame as Frame;
    if (item.kind === RESPONSE.atomic) {
      j.psn = item.psn;
      j.last = item.fresh;
      j.at = this.#beginAtomic(frame, slot, item.psn, item.msn, item.vaHi, item.vaLo);
    } else {
      j.psn = this.ackPsn(item.psn);
      j.msn = item.msn;
      j.refusal = item.syndrome >= SYNDROME.nakInvalid ? item.syndrome : 0;
      j.at = this.#beginAcknowledgement(frame, slot, item.syndrome, j.psn, item.msn);
    }
    j.end = j.at;
    j.left = 0;
    return j;
  }

  #responsePacket(slot: QpSlot, item: ResponseItem): PacketJob {
    const core = this.core;
    const k = item.sent;
    const offset = k * item.mtu;
    const length = Math.min(item.mtu, item.length - offset);
    const first = k === 0;
    const last = k === item.psns - 1;
    const j = this.#job(slot);
    j.last = last && item.fresh;
    j.again = !item.fresh;
    j.rkey = item.rkey;
    j.pd = item.pd;
    const lo = (item.vaLo >>> 0) + offset;
    j.vaLo = lo | 0;
    j.vaHi = (item.vaHi + Math.floor(lo / TWO_32)) | 0;
    const aeth = first || last ? 4 : 0;
    let operation: number = BTH_OP.readResponseMiddle;
    if (first) operation = last ? BTH_OP.readResponseOnly : BTH_OP.readResponseFirst;
    else if (last) operation = BTH_OP.readResponseLast;
    j.psn = psnAdd(item.psn, k);
    j.msn = item.msn;
    j.l3Bytes = slot.l3Bytes;
    let at = this.#begin(j.frame as Frame, slot, operation, j.psn, aeth, length);
    if (aeth > 0) {
      core.bytes.i32[at >> 2] = swap32((SYNDROME.ack << 24) | item.msn);
      at += 4;
    }
    j.at = at;
    j.left = length;
    j.end = at + length;
    return j;
  }

  #job(slot: QpSlot): PacketJob {
    const j = this.#gather.acquire(slot);
    j.response = true;
    j.refusal = 0;
    j.epoch = slot.respEpoch;
    return j;
  }

  /** @returns byte-store offset of the end of its headers. */
  #beginAcknowledgement(frame: Frame, slot: QpSlot, syndrome: number, psn: number, msn: number): number {
    const at = this.#begin(frame, slot, BTH_OP.acknowledge, psn, 4, 0);
    this.core.bytes.i32[at >> 2] = swap32((syndrome << 24) | (msn & 0xffffff));
    return at + 4;
  }

  /** The answer of an atomic. @returns byte-store offset of its end */
  #beginAtomic(frame: Frame, slot: QpSlot, psn: number, msn: number, hi: number, lo: number): number {
    const at = this.#begin(frame, slot, this.atomicOperation(), psn, ATOMIC_ANSWER_BYTES, 0);
    const w = this.core.bytes.i32;
    w[at >> 2] = swap32((SYNDROME.ack << 24) | (msn & 0xffffff));
    this.original((at >> 2) + 1, hi, lo);
    return at + ATOMIC_ANSWER_BYTES;
  }

  /** Operation code of the answer to an atomic; overridable for planting. */
  protected atomicOperation(): number {
    return BTH_OP.atomicAcknowledge;
  }

  /** The original value at dword `i` of an answer; overridable for planting. */
  protected original(i: number, hi: number, lo: number): void {
    const w = this.core.bytes.i32;
    w[i] = swap32(hi);
    w[i + 1] = swap32(lo);
  }

  /** PSN that an acknowledgement carries; overridable for planting. */
  protected ackPsn(psn: number): number {
    return psn;
  }

  #begin(frame: Frame, slot: QpSlot, operation: number, psn: number, ext: number, length: number): number {
    const core = this.core;
    const block = core.blocks.offset(frame.block);
    const b0 = bthWord0(operation, false, P_KEY_DEFAULT);
    return core.builder.begin(block, slot.template, slot.l3Bytes, b0, slot.remoteQpn, psn, ext, length);
  }

  #emit(slot: QpSlot): void {
    let j = slot.rtHead;
    while (j?.ready === true) {
      slot.rtHead = j.next;
      if (slot.rtHead === null) slot.rtTail = null;
      slot.respJobs--;
      this.#jobs--;
      if (j.epoch !== slot.respEpoch) this.#gather.discard(j);
      else if (j.syndrome !== 0) this.#failed(slot, j);
      else {
        if (j.last === true) slot.respReads--;
        this.#gather.send(j);
        this.#gather.release(j);
      }
      j = slot.rtHead;
    }
    if (slot.respHead !== null) this.#schedule(slot);
  }

  /**
   * A READ could not be answered in the middle: a NAK has the PSN of the missing response (3.4), the rest is dropped. Where
   * a request behind it has been refused already, the queue pair has ended, and there is one NAK: that of the READ, unless it is
   * answered once more, of which the requester may know everything.
   */
  #failed(slot: QpSlot, j: PacketJob): void {
    const nak = j.syndrome === CQE_SYNDROME.remoteAccess ? SYNDROME.nakAccess : SYNDROME.nakOperation;
    const { psn, msn, again } = j;
    const refusal = refusalOf(slot.respTail) ?? refusalIn(slot.rtTail, slot.respEpoch);
    this.#gather.discard(j);
    this.drop(slot);
    if (refusal === null) this.failure.readFailed(slot, nak, psn, msn);
    else if (again) this.acknowledge(slot, refusal.syndrome, refusal.psn, refusal.msn);
    else this.acknowledge(slot, nak, psn, msn);
  }

  #pop(slot: QpSlot): void {
    const item = slot.respHead as ResponseItem;
    slot.respHead = item.next;
    if (slot.respHead === null) slot.respTail = null;
    item.next = this.#free;
    this.#free = item;
  }

  #acquire(): ResponseItem {
    const item = this.#free;
    if (item === null) return new ResponseItem();
    this.#free = item.next;
    item.next = null;
    return item;
  }
}

/** The request lies inside the saved READ: PSN, address range, key. */
function covers(s: SavedRead, p: RxPacket): boolean {
  const k = psnCmp(p.psn, s.psn);
  if (s.atomic || k < 0 || k >= s.psns || s.rkey !== p.rkey) return false;
  const from = (p.vaHi - s.vaHi) * TWO_32 + (p.vaLo >>> 0) - (s.vaLo >>> 0);
  return from >= 0 && from + p.dmaLength <= s.length;
}

/** The same of a packet that waits for its turn to leave. */
function refusalIn(job: PacketJob | null, epoch: number): Pick<ResponseItem, 'syndrome' | 'psn' | 'msn'> | null {
  if (job === null || job.epoch !== epoch || job.refusal === 0) return null;
  const { refusal: syndrome, psn, msn } = job;
  return { syndrome, psn, msn };
}

/** What an item says that ends the queue pair, or null. The item itself is used again. */
function refusalOf(item: ResponseItem | null): Pick<ResponseItem, 'syndrome' | 'psn' | 'msn'> | null {
  if (item === null || item.kind !== RESPONSE.acknowledgement || item.syndrome < SYNDROME.nakInvalid) return null;
  const { syndrome, psn, msn } = item;
  return { syndrome, psn, msn };
}
