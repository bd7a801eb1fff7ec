/**
 * DMA engine: cuts what its clients ask for at 4 KiB, maximum payload and maximum read request size, gives each read
 * a tag, and reports a client's request when all its parts have arrived (hangu-rtl-facts.md 7.3).
 *
 * Writes are posted in call order. Reads wait in a queue while all tags are in use.
 */
import { CPL_STATUS, TLP_KIND } from '../nic.ts';
import type { PcieUpstream, Tlp } from '../nic.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import { Ring } from './ring.ts';

/** Who asked for a read. `ok` is false when any part was answered with an error. */
export interface DmaClient {
  dmaDone(arg: number, ok: boolean): void;
}

/** A read in flight: parts not yet answered. Pooled. */
class DmaRead {
  client: DmaClient | null = null;
  arg = 0;
  parts = 0;
  ok = true;
  next: DmaRead | null = null;
}

export class DmaEngine {
  /** Extra latency in ps for the next requests: set by a block before it calls, then put back to 0. */
  delay = 0;
  reads = 0;
  writes = 0;

  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #blocks: BlockPool;
  readonly #tagLimit: number;
  #port!: PcieUpstream;
  #readLimit = 0;
  #writeLimit = 0;
  #freeTags: Int32Array = new Int32Array(0);
  #tagCount = 0;
  #freeReads: DmaRead | null = null;
  /** Block that copies are put into, where the next one goes, and its end. */
  #shared = -1;
  #sharedAt = 0;
  #sharedEnd = 0;
  /** Reads waiting for a tag, oldest first. */
  readonly #waiting = new Ring<Tlp>();

  /** @param tags reads outstanding at once, if the link allows as many */
  constructor(scheduler: Scheduler, bytes: ByteStore, blocks: BlockPool, tags = 64) {
    this.#tagLimit = tags;
    this.#scheduler = scheduler;
    this.#bytes = bytes;
    this.#blocks = blocks;
  }

  connect(port: PcieUpstream): void {
    this.#port = port;
    this.#readLimit = port.settings.maxReadRequest;
    this.#writeLimit = port.settings.maxPayload;
    const n = Math.min(port.settings.tags, this.#tagLimit);
    this.#freeTags = new Int32Array(n);
    for (let i = 0; i < n; i++) this.#freeTags[i] = n - 1 - i;
    this.#tagCount = n;
  }

  /** True when nothing is in flight or waiting. */
  get idle(): boolean {
    return this.#tagCount === this.#freeTags.length;
  }

  /** Reads `length` bytes (at least 1) of host memory to `dst`; calls `client.dmaDone(arg, ok)` once all are there. */
  read(hi: number, lo: number, length: number, dst: number, client: DmaClient, arg = 0): void {
    const op = this.#acquireRead(client, arg);
    const n = this.piece(lo, length, this.#readLimit);
    op.parts = 1;
    this.#sendRead(hi, lo, n, dst, op);
    if (n !== length) this.#readRest(hi, lo + n, length - n, dst + n, op);
  }

  /** What of a read lies behind its first part. */
  #readRest(hi: number, lo: number, length: number, dst: number, op: DmaRead): void {
    let at = lo;
    let to = dst;
    let left = length;
    while (left > 0) {
      const n = this.piece(at, left, this.#readLimit);
      op.parts++;
      this.#sendRead(hi, at, n, to, op);
      at += n;
      to += n;
      left -= n;
    }
  }

  /**
   * Posts a write of bytes that stay in `block` (retained once per packet sent; the caller keeps its own reference).
   */
  write(hi: number, lo: number, length: number, src: number, block: number): void {
    let at = lo;
    let from = src;
    let left = length;
    while (left > 0) {
      const n = this.piece(at, left, this.#writeLimit);
      const port = this.#port;
      const t = port.acquire();
      t.kind = TLP_KIND.memWrite;
      t.hi = hi;
      t.lo = at;
      t.length = n;
      t.data = from;
      this.#blocks.retain(block);
      t.block = block;
      t.readyAt = this.#scheduler.now + this.delay;
      this.writes++;
      port.send(t);
      at += n;
      from += n;
      left -= n;
    }
  }

  /** Posts a write of a copy of the bytes, at most a block of them. Copies share blocks: bursts of them may be long. */
  writeCopy(hi: number, lo: number, length: number, src: number): void {
    const at = this.#share(length);
    this.#bytes.copy(at, src, length);
    this.write(hi, lo, length, at, this.#shared);
  }

  /** No more copies for now: their last block is not kept for others. */
  endCopies(): void {
    if (this.#shared >= 0) this.#blocks.release(this.#shared);
    this.#shared = -1;
  }

  /** A block for a small write, and its offset: fill it, `write` it, then `releaseBlock`. */
  acquireBlock(): number {
    return this.#blocks.acquire();
  }

  blockOffset(block: number): number {
    return this.#blocks.offset(block);
  }

  releaseBlock(block: number): void {
    this.#blocks.release(block);
  }

  get bytes(): ByteStore {
    return this.#bytes;
  }

  /** MSI-X message: one dword, posted behind everything written before it. */
  interrupt(hi: number, lo: number, data: number): void {
    const block = this.#blocks.acquire();
    const at = this.#blocks.offset(block);
    this.#bytes.i32[at >> 2] = data;
    const t = this.#port.acquire();
    t.kind = TLP_KIND.memWrite;
    t.interrupt = true;
    t.hi = hi;
    t.lo = lo;
    t.length = 4;
    t.data = at;
    t.block = block;
    t.readyAt = this.#scheduler.now;
    this.writes++;
    this.#port.send(t);
  }

  /** Completion for a read of this engine. */
  completion(t: Tlp): void {
    const failed = t.status !== CPL_STATUS.success || t.poisoned;
    const op = t.owner as DmaRead;
    if (failed) op.ok = false;
    if (t.remaining > 0 && !failed) return;
    this.#freeTags[this.#tagCount++] = t.tag;
    if (this.#waiting.length > 0) this.#sendWaiting();
    if (--op.parts > 0) return;
    const client = op.client as DmaClient;
    const { arg, ok } = op;
    op.next = this.#freeReads;
    this.#freeReads = op;
    client.dmaDone(arg, ok);
  }

  /**
   * Length of the next part: up to the next multiple of the size limit, of which the page end is one. Overridable for
   * planting.
   */
  protected piece(lo: number, left: number, limit: number): number {
    const toBoundary = limit - (lo & (limit - 1));
    return left < toBoundary ? left : toBoundary;
  }

  /** Tag for the next read; overridable for planting. */
  protected takeTag(): number {
    return this.#freeTags[--this.#tagCount] as number;
  }

  /** Byte-store offset of room in the shared block; a full one is left to the writes that it holds the bytes of. */
  #share(length: number): number {
    if (this.#shared < 0 || this.#sharedAt + length > this.#sharedEnd) {
      this.endCopies();
      this.#shared = this.#blocks.acquire();
      this.#sharedAt = this.#blocks.offset(this.#shared);
      this.#sharedEnd = this.#sharedAt + this.#blocks.blockBytes;
    }
    const at = this.#sharedAt;
    this.#sharedAt += (length + 15) & ~15;
    return at;
  }

  #acquireRead(client: DmaClient, arg: number): DmaRead {
    let op = this.#freeReads;
    if (op === null) op = new DmaRead();
    else this.#freeReads = op.next;
    // Often it is what it was: not storing a reference is cheaper than storing it.
    if (op.client !== client) op.client = client;
    op.arg = arg;
    op.parts = 0;
    op.ok = true;
    return op;
  }

  #sendRead(hi: number, lo: number, length: number, dst: number, op: DmaRead): void {
    const t = this.#port.acquire();
    t.kind = TLP_KIND.memRead;
    t.hi = hi;
    t.lo = lo;
    t.length = length;
    t.data = dst;
    t.owner = op;
    t.readyAt = this.#scheduler.now + this.delay;
    if (this.#tagCount === 0) {
      this.#waiting.push(t);
      return;
    }
    this.#issue(t);
  }

  #issue(t: Tlp): void {
    t.tag = this.takeTag();
    this.reads++;
    this.#port.send(t);
  }

  #sendWaiting(): void {
    const t = this.#waiting.shift() as Tlp;
    const { now } = this.#scheduler;
    if (t.readyAt < now) t.readyAt = now;
    this.#issue(t);
  }
}
