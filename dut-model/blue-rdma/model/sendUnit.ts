/**
 * Cuts chunks into packets and sends them (blue-rdma.md section 7): every packet ends where the remote address is a
 * multiple of the path MTU, but for the last. Payload of several packets is read at once; they leave in order.
 */
import { BTH_OP } from '../../../rdma/bth.ts';
import { SEND_DESCRIPTOR_FLAG, SEND_OPCODE } from '../layout/descriptors.ts';
import { FRAME } from '../layout/wire.ts';
import { carried } from '../../../uvm/bytes/words.ts';
import { Egress, type EgressUser } from '../../roce/egress.ts';
import type { DmaClient } from '../../roce/dmaEngine.ts';
import type { Frame } from '../../nic.ts';
import { FRAME_START } from '../../roce/frameLayout.ts';
import { psnAdd } from '../../roce/psn.ts';
import type { BlueCore } from './core.ts';
import { type FrameWriter, HeaderFields } from './frameWriter.ts';
import { REGION_CHECK, type MrTable } from './mrTable.ts';
import type { Port } from './port.ts';
import type { QpTable } from './qpTable.ts';
import type { SendChunk } from './sendChunk.ts';
import type { ChunkUser, SendQueue } from './sendQueue.ts';

/** A packet whose payload is being read. */
class Job {
  frame: Frame | null = null;
  /** Reads that have not been answered, and whether all were. */
  reads = 0;
  ok = true;
}

/** First, middle, last, last with immediate, only, only with immediate. */
type Opcodes = readonly [number, number, number, number, number, number];
const WRITES: Opcodes = [
  BTH_OP.writeFirst,
  BTH_OP.writeMiddle,
  BTH_OP.writeLast,
  BTH_OP.writeLastImm,
  BTH_OP.writeOnly,
  BTH_OP.writeOnlyImm,
];
const SENDS: Opcodes = [
  BTH_OP.sendFirst,
  BTH_OP.sendMiddle,
  BTH_OP.sendLast,
  BTH_OP.sendLastImm,
  BTH_OP.sendOnly,
  BTH_OP.sendOnlyImm,
];
const RESPONSES: Opcodes = [
  BTH_OP.readResponseFirst,
  BTH_OP.readResponseMiddle,
  BTH_OP.readResponseLast,
  BTH_OP.readResponseLast,
  BTH_OP.readResponseOnly,
  BTH_OP.readResponseOnly,
];
const OPCODES: Readonly<Record<number, Opcodes>> = {
  [SEND_OPCODE.write]: WRITES,
  [SEND_OPCODE.writeImm]: WRITES,
  [SEND_OPCODE.send]: SENDS,
  [SEND_OPCODE.sendImm]: SENDS,
  [SEND_OPCODE.readResponse]: RESPONSES,
};
const MIDDLE = 1;
const ONLY = 4;

export class SendUnit implements ChunkUser, DmaClient, EgressUser {
  /** Chunks that were dropped, or their rest: wrong key, bounds, opcode or MTU, or a queue pair that is in error or gone. */
  refused = 0;
  protected readonly core: BlueCore;
  protected readonly mrs: MrTable;
  protected readonly qps: QpTable;
  protected readonly writer: FrameWriter;
  protected readonly header = new HeaderFields();
  readonly #queue: SendQueue;
  readonly #port: Port;
  readonly #egress: Egress;
  readonly #jobs: readonly Job[];
  #first = 0;
  #count = 0;
  /** Packets begun and complete since the reset, and who waits for some of them to be complete. */
  #begun = 0;
  #complete = 0;
  #waiting: { readonly until: number; readonly then: () => void }[] = [];
  #chunk: SendChunk | null = null;
  /** When the pipeline has moved all that it was given. */
  #freeAt = 0;

  constructor(core: BlueCore, queue: SendQueue, mrs: MrTable, qps: QpTable, writer: FrameWriter, port: Port) {
    this.core = core;
    this.mrs = mrs;
    this.qps = qps;
    this.writer = writer;
    this.#queue = queue;
    this.#port = port;
    this.#egress = new Egress(core.scheduler, core.config.egressNs * 1000);
    this.#egress.user = this;
    this.#jobs = Array.from({ length: core.config.sendJobs }, () => new Job());
  }

  connect(): void {
    this.#egress.link = this.core.link;
  }

  reset(): void {
    // Frames that were begun hold blocks: they go back with the payload that nobody waits for any more.
    for (const job of this.#jobs) {
      if (job.frame !== null) this.core.blocks.release(job.frame.block);
      job.frame = null;
    }
    this.#first = 0;
    this.#count = 0;
    this.#begun = 0;
    this.#complete = 0;
    this.#waiting = [];
    this.#chunk = null;
    this.refused = 0;
  }

  /** Calls `then` once what is being read is here; at once when nothing is. */
  afterReads(then: () => void): void {
    if (this.#complete === this.#begun) then();
    else this.#waiting.push({ until: this.#begun, then });
  }

  chunksArrived(): void {
    this.#pump();
  }

  roomToSend(): void {
    this.#pump();
  }

  dmaDone(slot: number, ok: boolean): void {
    const job = this.#jobs[slot] as Job;
    job.reads--;
    if (!ok) job.ok = false;
    if (job.reads > 0) return;
    this.#emit();
    this.#pump();
  }

  /** Bytes of the next packet; overridable for planting. */
  protected packetBytes(c: SendChunk): number {
    const at = c.remoteLo + c.done;
    return Math.min(c.length - c.done, c.pmtu - (at & (c.pmtu - 1)));
  }

  /** What the RETH of a packet says of its length: of the whole message in First and Only. Overridable for planting. */
  protected rethLength(c: SendChunk, kind: number, bytes: number): number {
    return kind === 0 || kind >= ONLY ? c.total : bytes;
  }

  /** Asked before each packet, since what it needs may be gone by then. Overridable for planting, as what follows. */
  protected goesOn(c: SendChunk): boolean {
    const index = this.qps.find(c.sourceQpn);
    return index >= 0 && this.qps.error[index] === 0 && (c.packets === 0 || this.allowed(c));
  }

  /** Whether a chunk's local side is right. */
  protected allowed(c: SendChunk): boolean {
    return c.length === 0 || this.mrs.check(c.lkey, c.localHi, c.localLo, c.length, 0) === REGION_CHECK.ok;
  }

  /** Bytes between the headers and the payload, so that this is aligned as at its target; overridable for planting. */
  protected padOf(remoteLo: number): number {
    return remoteLo & 3;
  }

  /** The BTH of a packet, in `header`; overridable for planting. */
  protected describe(c: SendChunk, opcode: number, ends: boolean): void {
    const h = this.header;
    h.destMacHigh = c.macHigh;
    h.destMacLow = c.macLow;
    h.destIp = c.destIp;
    h.sourcePort = c.sourceQpn & 0xffff;
    h.opcode = opcode;
    h.solicited = ends && (c.flags & SEND_DESCRIPTOR_FLAG.solicited) !== 0;
    h.retry = c.retry;
    h.becn = false;
    h.ecnCapable = c.ecn;
    h.msn = c.msn;
    h.destQpn = c.destQpn;
    h.ackRequest = (c.flags & SEND_DESCRIPTOR_FLAG.signaled) !== 0;
    h.psn = psnAdd(c.psn, c.packets);
  }

  #pump(): void {
    while (this.#count < this.#jobs.length && !this.#egress.isFull()) {
      this.#chunk ??= this.#take();
      if (this.#chunk === null) return;
      if (!this.goesOn(this.#chunk)) {
        this.refused++;
        this.#done(this.#chunk);
      } else if (this.#chunk.opcode === SEND_OPCODE.read) this.#readRequest(this.#chunk);
      else this.#packet(this.#chunk);
    }
  }

  /** The next chunk that can be sent. */
  #take(): SendChunk | null {
    for (;;) {
      const c = this.#queue.next();
      if (c === null) return null;
      const isRead = c.opcode === SEND_OPCODE.read;
      const known = c.pmtu >= 256 && c.pmtu <= 4096 && (isRead || OPCODES[c.opcode] !== undefined);
      if (known && (isRead || this.allowed(c))) return c;
      this.refused++;
      this.#queue.release(c);
    }
  }

  #done(c: SendChunk): void {
    this.#queue.release(c);
    this.#chunk = null;
  }

  #readRequest(c: SendChunk): void {
    this.describe(c, BTH_OP.readRequest, true);
    const slot = this.#newJob();
    const block = this.#begin(slot, 0);
    this.writer.reth(block, c.remoteHi, c.remoteLo, c.rkey, c.total);
    this.writer.rreth(block, c.localHi, c.localLo, c.lkey);
    this.#done(c);
    this.dmaDone(slot, true);
  }

  #packet(c: SendChunk): void {
    const bytes = this.packetBytes(c);
    const starts = c.first && c.packets === 0;
    const ends = c.last && c.done + bytes >= c.length;
    const withImm = ends && (c.opcode === SEND_OPCODE.writeImm || c.opcode === SEND_OPCODE.sendImm);
    const kind = (starts ? (ends ? ONLY : 0) : ends ? 2 : MIDDLE) + (withImm ? 1 : 0);
    const lo = c.remoteLo + c.done;
    const remoteHi = carried(c.remoteHi, (c.remoteLo >>> 0) + c.done);
    const pad = bytes === 0 ? 0 : this.padOf(lo);
    this.describe(c, (OPCODES[c.opcode] as Opcodes)[kind] as number, ends);
    const slot = this.#newJob();
    const block = this.#begin(slot, pad + bytes);
    this.writer.reth(block, remoteHi, lo | 0, c.rkey, this.rethLength(c, kind, bytes));
    if (withImm) this.writer.immediate(block, c.imm);
    const payload = block + FRAME_START + FRAME.payload;
    for (let i = 0; i < pad; i++) this.core.bytes.u8[payload + i] = 0;
    const from = c.done;
    c.done += bytes;
    c.packets++;
    const { lkey, localHi, localLo } = c;
    if (c.done >= c.length) this.#done(c);
    if (bytes === 0) this.dmaDone(slot, true);
    else this.#read(slot, lkey, localHi, localLo, from, bytes, payload + pad);
  }

  /** Reads the payload of a packet, which may lie in two pages. */
  #read(slot: number, lkey: number, hi: number, lo: number, from: number, bytes: number, dst: number): void {
    const at = (lo >>> 0) + from;
    this.mrs.translate(lkey, carried(hi, at), at | 0);
    const { paHi, paLo, available } = this.mrs;
    const here = Math.min(bytes, available);
    (this.#jobs[slot] as Job).reads = here < bytes ? 2 : 1;
    this.core.dma.read(paHi, paLo, here, dst, this, slot);
    if (here === bytes) return;
    const rest = at + here;
    this.mrs.translate(lkey, carried(hi, rest), rest | 0);
    this.core.dma.read(this.mrs.paHi, this.mrs.paLo, bytes - here, dst + here, this, slot);
  }

  /** @returns its slot */
  #newJob(): number {
    this.#begun++;
    const slot = (this.#first + this.#count++) % this.#jobs.length;
    const job = this.#jobs[slot] as Job;
    job.reads = 1;
    job.ok = true;
    return slot;
  }

  /** @returns byte-store offset of the frame's block */
  #begin(slot: number, padded: number): number {
    const frame = this.core.link.acquire();
    (this.#jobs[slot] as Job).frame = frame;
    const block = this.core.blocks.offset(frame.block);
    frame.data = block + FRAME_START;
    frame.length = this.writer.headers(block, this.header, padded);
    return block;
  }

  /** Sends what is complete, in order. */
  #emit(): void {
    const { core } = this;
    while (this.#count > 0 && (this.#jobs[this.#first] as Job).reads === 0) {
      const job = this.#jobs[this.#first] as Job;
      const frame = job.frame as Frame;
      job.frame = null;
      this.#first = (this.#first + 1) % this.#jobs.length;
      this.#count--;
      this.#complete++;
      this.#freeAt = Math.max(this.#freeAt, core.scheduler.now) + core.moving(frame.length);
      frame.readyAt = this.#freeAt + core.cycles(core.config.sendCycles);
      if (job.ok) this.#port.send(frame);
      else core.blocks.release(frame.block);
    }
    for (let next = this.#waiting[0]; next !== undefined && next.until <= this.#complete; next = this.#waiting[0]) {
      this.#waiting.shift();
      next.then();
    }
  }
}
