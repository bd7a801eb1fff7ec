/**
 * Requester, transmit side: takes queue pairs with work in turn, cuts their requests into packets, and sends them in
 * PSN order (roce-transport.md 1.7, 3.8, 3.11; hangu-rtl-facts.md 6.1). A retransmission moves the cursor back to the
 * packet with the wanted PSN and builds everything from there again.
 */
import { BTH_CLASS, BTH_OP } from '../../rdma/bth.ts';
import { QPC_SERVICE, QPC_STATE } from '../../rdma/hangu/contexts.ts';
import { UD_SEG, WQE_OPCODE } from '../../rdma/hangu/queues.ts';
import { swap32 } from '../roce/endian.ts';
import { bthWord0 } from '../roce/frameBuilder.ts';
import { IPV4_BYTES, IPV6_BYTES } from '../roce/frameLayout.ts';
import { psnAdd, psnCmp } from '../roce/psn.ts';
import type { HanguCore } from './core.ts';
import { NO_CONTEXT, WAIT } from './core.ts';
import { writeDatagramTemplate } from './datagramTemplate.ts';
import type { Gather } from './gather.ts';
import { ackTimeoutPs, bthClass, extension, isRc, isUd, qpMtu, qpPd, qpService, QPC_DW, qpState } from './qpContext.ts';
import type { PacketJob, QpSlot, SendRequest } from './qpSlot.ts';
import { Ring } from './ring.ts';
import type { SendCompletion } from './sendCompletion.ts';
import type { SendQueue } from './sendQueue.ts';

const HALF = 1 << 23;
export const P_KEY_DEFAULT = 0xffff;

export class Requester {
  protected readonly core: HanguCore;
  readonly #gather: Gather;
  readonly #completion: SendCompletion;
  /** Set once after construction: the send queue calls back into the requester. */
  sendQueue!: SendQueue;
  readonly #active = new Ring<QpSlot>();
  #jobs = 0;
  /** Packets being gathered at once. */
  #sendJobs = 0;
  /** Queue pairs in service: waiting for their context or for a WQE. */
  #services = 0;
  #pumping = false;

  constructor(core: HanguCore, gather: Gather, completion: SendCompletion) {
    this.core = core;
    this.#sendJobs = core.config.sendJobs;
    this.#gather = gather;
    this.#completion = completion;
  }

  /**
   * Puts a queue pair in line, in front when its turn is not over. Call `pump` afterwards, when no context line is in
   * use.
   */
  schedule(slot: QpSlot): void {
    if (slot.queued === true) return;
    slot.queued = true;
    if (slot.turnLeft > 0) this.#active.unshift(slot);
    else this.#active.push(slot);
  }

  /** What the queue pair waited for has come: it goes first, before its context is evicted again. */
  resume(slot: QpSlot): void {
    if (slot.waiting) {
      slot.waiting = false;
      this.#services--;
    }
    if (slot.queued) return;
    slot.queued = true;
    this.#active.unshift(slot);
  }

  /** A WQE fetch has begun, or has come to its end. */
  fetching(change: 1 | -1): void {
    this.#services += change;
  }

  /** Works as long as there are queue pairs in line and room for packets. */
  pump(): void {
    if (this.#active.length > 0 && this.#jobs < this.#sendJobs && !this.#pumping) this.#serve();
  }

  /** Queue pairs that wait for a context or a WQE: each takes one of `sendServices` places. */
  get inService(): number {
    return this.#services;
  }

  reset(): void {
    this.#active.clear();
    this.#jobs = 0;
    this.#services = 0;
  }

  /** What a packet waited for has arrived. A packet overtaken by a retransmission needs nothing more. */
  resumeJob(j: PacketJob): void {
    if (j.epoch !== j.slot.epoch) {
      j.left = 0;
      j.ready = j.pending === 0;
    } else this.#gather.run(j);
    this.jobProgress(j);
  }

  /** The payload of a packet is complete, or an answer to its DMA came. */
  jobProgress(j: PacketJob): void {
    if (j.ready === true) this.#emit(j.slot);
    this.pump();
  }

  /**
   * Requester side of a retransmission: from `psn` on everything is sent again. Packets under way are thrown away, also
   * when nothing is left to send.
   */
  goBack(slot: QpSlot, psn: number): void {
    slot.epoch++;
    slot.sentPsn = psn;
    this.core.counters.retransmissions++;
    let r = slot.head;
    slot.reads = 0;
    while (r !== null && r.firstPsn >= 0 && psnCmp(r.lastPsn, psn) < 0) {
      if (r.opcode === WQE_OPCODE.read) slot.reads++;
      r = r.next;
    }
    if (r === null || r.firstPsn < 0) return;
    slot.cursor = r;
    slot.cursorPacket = Math.max(0, psnCmp(psn, r.firstPsn));
    for (let q: SendRequest | null = r; q !== null; q = q.next) q.sent = false;
    this.schedule(slot);
  }

  /** Arms or moves the local ACK timer (roce-transport.md 3.8). */
  restartTimer(slot: QpSlot): void {
    if (slot.timeoutPs === 0) return;
    slot.deadline = this.core.scheduler.now + slot.timeoutPs;
    if (slot.timerAt !== 0 && slot.timerAt <= slot.deadline) return;
    slot.timerAt = slot.deadline;
    this.core.scheduler.schedule(slot.timeoutPs, slot, 0);
  }

  #serve(): void {
    const { egress, config } = this.core;
    const { sendServices, turnPackets } = config;
    const active = this.#active;
    this.#pumping = true;
    while (active.length > 0 && this.#jobs < this.#sendJobs && this.#services < sendServices && !egress.isFull()) {
      const slot = active.shift() as QpSlot;
      slot.queued = false;
      if (slot.turnLeft === 0) slot.turnLeft = turnPackets;
      this.#step(slot);
    }
    this.#pumping = false;
  }

  #step(slot: QpSlot): void {
    const core = this.core;
    const c = core.contextOf(slot, slot);
    if (c === WAIT) {
      // It may wait already, and have been put in line for something else.
      if (!slot.waiting) this.#services++;
      slot.waiting = true;
      return;
    }
    if (c === NO_CONTEXT) {
      this.sendQueue.drop(slot);
      return;
    }
    const w = core.bytes.i32;
    const state = qpState(w, c);
    if (this.flushes(state)) {
      this.sendQueue.fetchMore(slot, c);
      return;
    }
    if (state !== QPC_STATE.rts && state !== QPC_STATE.sqd) return;
    if (slot.timeoutDue) this.#completion.timeout(slot, c);
    if (slot.rnrWait) return;
    const starts = this.startsNew(state);
    if (starts) this.sendQueue.fetchMore(slot, c);
    const r = slot.cursor;
    if (r === null || (!starts && r.firstPsn < 0)) return;
    if (r.syndrome !== 0) {
      this.#completion.localError(slot, c, r);
      return;
    }
    if (this.mayTransmit(slot, c, r)) this.#transmit(slot, c, r);
  }

  /** Whether requests are only fetched to be flushed (roce-transport.md 5.3); overridable for planting. */
  protected flushes(state: number): boolean {
    return state === QPC_STATE.err || state === QPC_STATE.sqe;
  }

  /** Whether requests are started, which SQD forbids (roce-transport.md 6.4); overridable for planting. */
  protected startsNew(state: number): boolean {
    return state === QPC_STATE.rts;
  }

  /** Windows and limits that hold a packet back; overridable for planting. */
  protected mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const core = this.core;
    if (slot.jobs >= core.config.jobsPerQp) return false;
    const w = core.bytes.i32;
    if (!isRc(w, c)) return true;
    const fresh = r.firstPsn < 0;
    const next = w[c + QPC_DW.nextPsn] as number;
    const una = w[c + QPC_DW.unaPsn] as number;
    // As an unsigned number: a READ may take half of all PSNs, and more are never outstanding (roce-transport.md 3.1).
    const distance = (next - una) & 0xff_ffff;
    if (fresh && ((distance >= core.config.psnWindow && slot.head !== r) || distance + r.psns > HALF)) return false;
    if (!fresh && psnCmp(psnAdd(r.firstPsn, slot.cursorPacket), una) >= core.config.psnWindow) return false;
    if (slot.cursorPacket > 0 && r.opcode !== WQE_OPCODE.read) return true;
    if (r.fence && slot.reads > 0) return false;
    return r.opcode !== WQE_OPCODE.read || slot.reads < ((extension(w, c) >>> 8) & 0xff);
  }

  #transmit(slot: QpSlot, c: number, r: SendRequest): void {
    const core = this.core;
    core.prepareTemplate(slot, c);
    const j = this.#gather.acquire(slot);
    // Views are fetched after what may grow the store.
    const w = core.bytes.i32;
    if (r.firstPsn < 0) {
      r.firstPsn = w[c + QPC_DW.nextPsn] as number;
      r.lastPsn = psnAdd(r.firstPsn, r.psns - 1);
      w[c + QPC_DW.nextPsn] = psnAdd(r.firstPsn, r.psns);
      w[c + QPC_DW.ssn] = ((w[c + QPC_DW.ssn] as number) + 1) & 0xffffff;
      core.touch(slot);
    }
    slot.reliable = isRc(w, c);
    slot.timeoutPs = slot.reliable ? ackTimeoutPs(w, c) : 0;
    j.request = r;
    j.pd = qpPd(w, c);
    if (r.opcode === WQE_OPCODE.read) this.#readRequest(j, slot, c, r);
    else this.#dataPacket(j, slot, c, r);
    if (slot.txTail === null) slot.txHead = j;
    else slot.txTail.next = j;
    slot.txTail = j;
    slot.jobs++;
    this.#jobs++;
    if (j.last === true) {
      if (r.opcode === WQE_OPCODE.read) slot.reads++;
      slot.cursor = r.next;
      slot.cursorPacket = 0;
    }
    slot.turnLeft--;
    if (slot.cursor !== null || this.sendQueue.hasMore(slot)) this.schedule(slot);
    this.#gather.run(j);
    if (j.ready) this.#emit(slot);
  }

  #readRequest(j: PacketJob, slot: QpSlot, c: number, r: SendRequest): void {
    const w = this.core.bytes.i32;
    const k = slot.cursorPacket;
    const skip = k * qpMtu(w, c);
    r.readBase = k;
    j.psn = psnAdd(r.firstPsn, k);
    j.last = true;
    j.ackRequest = true;
    const at = this.#begin(j, slot, BTH_OP.readRequest, false, true, 16, 0);
    this.#reth(at, r, skip, r.length - skip);
    j.at = at + 16;
    j.end = j.at;
    j.left = 0;
  }

  #dataPacket(j: PacketJob, slot: QpSlot, c: number, r: SendRequest): void {
    const core = this.core;
    const w = core.bytes.i32;
    const mtu = qpMtu(w, c);
    const k = slot.cursorPacket;
    const offset = k * mtu;
    const length = Math.min(mtu, r.length - offset);
    const service = qpService(w, c);
    this.#seekSegment(r, k, offset);
    j.psn = psnAdd(r.firstPsn, k);
    j.last = k === r.packets - 1;
    j.sge = r.sge;
    j.sgeDone = r.sgeDone;
    const write = r.opcode === WQE_OPCODE.write || r.opcode === WQE_OPCODE.writeImm;
    const imm = j.last && (r.opcode === WQE_OPCODE.sendImm || r.opcode === WQE_OPCODE.writeImm);
    const reth = write && k === 0;
    const ext = (reth ? 16 : 0) + (imm ? 4 : 0);
    j.ackRequest = service === QPC_SERVICE.rc && this.wantsAck(j.last, j.psn);
    const operation = this.operation(write, k === 0, j.last, imm) | bthClass(w, c);
    const solicited = j.last && r.solicited && (!write || imm);
    let at: number;
    if (isUd(w, c)) at = this.#beginDatagram(j, slot, c, r, operation, solicited, ext, length);
    else at = this.#begin(j, slot, operation, solicited, j.ackRequest, ext, length);
    if (reth) {
      this.#reth(at, r, 0, r.length);
      at += 16;
    }
    if (imm) {
      core.bytes.i32[at >> 2] = swap32(r.imm);
      at += 4;
    }
    j.at = at;
    j.end = at + length;
    j.left = length;
    if (!j.last) this.#gather.advance(r, length);
    r.sgePacket = k + 1;
    slot.cursorPacket = k + 1;
  }

  /** Every packet that ends a message asks for an ACK, and some of a long one; overridable for planting. */
  protected wantsAck(last: boolean, psn: number): boolean {
    return last || psn % this.core.config.ackInterval === 0;
  }

  /** Operation code of a SEND or WRITE packet; overridable for planting. */
  protected operation(write: boolean, first: boolean, last: boolean, imm: boolean): number {
    const base = write ? BTH_OP.writeFirst : BTH_OP.sendFirst;
    if (!last) return first ? base : base + 1;
    return base + (first ? 4 : 2) + (imm ? 1 : 0);
  }

  /** Source position of packet `k`: where the one before ended, or counted from the start after a retransmission. */
  #seekSegment(r: SendRequest, k: number, offset: number): void {
    if (k !== 0 && r.sgePacket === k) return;
    r.sge = 0;
    r.sgeDone = 0;
    if (offset > 0) this.#gather.advance(r, offset);
  }

  #begin(
    j: PacketJob,
    slot: QpSlot,
    operation: number,
    solicited: boolean,
    ack: boolean,
    ext: number,
    length: number,
  ): number {
    const core = this.core;
    const block = core.blocks.offset((j.frame as { block: number }).block);
    j.l3Bytes = slot.l3Bytes;
    const b0 = bthWord0(operation, solicited, P_KEY_DEFAULT);
    const b2 = (ack ? 0x8000_0000 : 0) | j.psn;
    return core.builder.begin(block, slot.template, slot.l3Bytes, b0, slot.remoteQpn, b2, ext, length);
  }

  /** UD: addresses come from the request (hangu-interface.md 6.3); the DETH follows the BTH. */
  #beginDatagram(
    j: PacketJob,
    slot: QpSlot,
    c: number,
    r: SendRequest,
    operation: number,
    solicited: boolean,
    ext: number,
    length: number,
  ): number {
    const core = this.core;
    const w = core.bytes.i32;
    writeDatagramTemplate(core, slot.qpn, c, r.udSegment);
    const u = r.udSegment;
    j.l3Bytes = (w[u] as number) & UD_SEG.ipv6Flag ? IPV6_BYTES : IPV4_BYTES;
    const block = core.blocks.offset((j.frame as { block: number }).block);
    const qpn = (w[u + (UD_SEG.qpn >> 2)] as number) & 0xffffff;
    const b0 = bthWord0(operation | BTH_CLASS.ud, solicited, P_KEY_DEFAULT);
    const at = core.builder.begin(block, core.udTemplate, j.l3Bytes, b0, qpn, j.psn, ext + 8, length);
    const given = w[u + (UD_SEG.qkey >> 2)] as number;
    // Bit 31 of the request's Q_Key asks for the sending queue pair's own (roce-transport.md 4.3).
    w[at >> 2] = swap32(given < 0 ? (w[c + QPC_DW.qkey] as number) : given);
    w[(at >> 2) + 1] = swap32(slot.qpn);
    return at + 8;
  }

  #reth(at: number, r: SendRequest, skip: number, length: number): void {
    const w = this.core.bytes.i32;
    const lo = (r.remoteLo >>> 0) + skip;
    const i = at >> 2;
    w[i] = swap32(lo > 0xffff_ffff ? r.remoteHi + 1 : r.remoteHi);
    w[i + 1] = swap32(lo | 0);
    w[i + 2] = swap32(r.rkey);
    w[i + 3] = swap32(length);
  }

  /** Sends every finished packet at the head of the queue pair's line. */
  #emit(slot: QpSlot): void {
    let j = slot.txHead;
    while (j?.ready === true) {
      slot.txHead = j.next;
      if (slot.txHead === null) slot.txTail = null;
      slot.jobs--;
      this.#jobs--;
      this.#finish(slot, j);
      j = slot.txHead;
    }
    if (slot.cursor !== null || this.sendQueue.hasMore(slot)) this.schedule(slot);
  }

  #finish(slot: QpSlot, j: PacketJob): void {
    const r = j.request as SendRequest;
    if (j.epoch !== slot.epoch) {
      this.#gather.discard(j);
      return;
    }
    if (j.syndrome !== 0) {
      r.syndrome = j.syndrome;
      // No packet, no number: on unreliable services, which go on after an error, the next message takes this one.
      if (slot.reliable !== true) r.lastPsn = psnAdd(j.psn, -1);
      slot.epoch++;
      slot.cursor = r;
      this.#gather.discard(j);
      return;
    }
    this.#gather.send(j);
    if (j.last === true) r.sent = true;
    if (slot.reliable === true) {
      slot.sentPsn = psnAdd(r.opcode === WQE_OPCODE.read ? r.lastPsn : j.psn, 1);
      if (slot.deadline === 0) this.restartTimer(slot);
    } else if (j.last) this.#completion.unacknowledged(slot, r);
    this.#gather.release(j);
  }
}
