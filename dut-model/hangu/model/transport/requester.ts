/**
 * Requester, transmit side: takes queue pairs with work in turn, and sends the packets of their requests in PSN order
 * (roce-transport.md 1.7, 3.8, 3.11; hangu-rtl-facts.md 6.1). A retransmission moves the cursor back to the packet with
 * the wanted PSN and builds everything from there again.
 */
import { QPC_STATE } from '../../layout/contexts.ts';
import { changesKey, isAtomic, isFetch, WQE_OPCODE } from '../../layout/queues.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { HanguCore } from '../core.ts';
import { NO_CONTEXT, WAIT } from '../core.ts';
import type { Gather } from '../memory/gather.ts';
import { ackTimeoutPs, isRaw, mostReads, isRc, qpPd, QPC_DW, qpState } from '../qpContext.ts';
import type { PacketJob, QpSlot, SendRequest } from './qpSlot.ts';
import type { RequestPackets } from './requestPackets.ts';
import { Ring } from '../queues/ring.ts';
import type { SendCompletion } from './sendCompletion.ts';
import { DONE as KEY_CHANGED, WAITS } from '../memory/memoryKeys.ts';
import type { SendQueue } from '../queues/sendQueue.ts';

const HALF = 1 << 23;

export class Requester {
  protected readonly core: HanguCore;
  readonly #gather: Gather;
  readonly #packets: RequestPackets;
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

  constructor(core: HanguCore, gather: Gather, packets: RequestPackets, completion: SendCompletion) {
    this.core = core;
    this.#sendJobs = core.config.sendJobs;
    this.#gather = gather;
    this.#packets = packets;
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
      if (isFetch(r.opcode)) slot.reads++;
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
      if (!slot.lost) this.sendQueue.drop(slot);
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
    if (changesKey(r.opcode)) this.#changeKey(slot, c, r);
    else if (this.mayTransmit(slot, c, r)) this.#transmit(slot, c, r);
  }

  /** A request that changes a key is carried out when it is its turn; nothing of it is sent, and it takes no PSN. */
  #changeKey(slot: QpSlot, c: number, r: SendRequest): void {
    const { core } = this;
    if (r.firstPsn < 0) {
      if (!this.mayChangeKey(slot, r)) return;
      const result = core.keys.request(r, { pd: qpPd(core.bytes.i32, c), qpn: slot.qpn });
      if (result === WAITS) return;
      if (result !== KEY_CHANGED) {
        r.syndrome = result;
        this.#completion.localError(slot, c, r);
        return;
      }
      r.firstPsn = core.bytes.i32[c + QPC_DW.nextPsn] as number;
      r.lastPsn = psnAdd(r.firstPsn, -1);
      r.sent = true;
    }
    slot.cursor = r.next;
    slot.cursorPacket = 0;
    this.#completion.keyChanged(slot);
    if (slot.cursor !== null || this.sendQueue.hasMore(slot)) this.schedule(slot);
  }

  /**
   * Whether a request may change a key now: a fence waits for READs, and the invalidation of one for all that is in front of it
   * (roce-transport.md 3.11); overridable for planting.
   */
  protected mayChangeKey(slot: QpSlot, r: SendRequest): boolean {
    if (r.fence && slot.reads > 0) return false;
    return r.opcode !== WQE_OPCODE.localInv || slot.head === r || this.core.config.invUnfenced !== 0;
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
    return this.mayFetch(slot, c, r);
  }

  /** Whether one more READ or atomic may be outstanding (roce-transport.md 3.11); overridable for planting. */
  protected mayFetch(slot: QpSlot, c: number, r: SendRequest): boolean {
    return !isFetch(r.opcode) || slot.reads < mostReads(this.core.bytes.i32, c);
  }

  #transmit(slot: QpSlot, c: number, r: SendRequest): void {
    const core = this.core;
    const raw = isRaw(core.bytes.i32, c);
    if (!raw) core.prepareTemplate(slot, c);
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
    if (raw) this.#packets.frame(j, r);
    else if (r.opcode === WQE_OPCODE.read) this.#packets.readRequest(j, slot, c, r);
    else if (isAtomic(r.opcode)) this.#packets.atomic(j, slot, r);
    else this.#packets.data(j, slot, c, r);
    if (slot.txTail === null) slot.txHead = j;
    else slot.txTail.next = j;
    slot.txTail = j;
    slot.jobs++;
    this.#jobs++;
    if (j.last === true) {
      if (isFetch(r.opcode)) slot.reads++;
      slot.cursor = r.next;
      slot.cursorPacket = 0;
    }
    slot.turnLeft--;
    if (slot.cursor !== null || this.sendQueue.hasMore(slot)) this.schedule(slot);
    this.#gather.run(j);
    if (j.ready) this.#emit(slot);
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
