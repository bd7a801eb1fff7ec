/**
 * DMA engine: cuts what its clients ask for at 4 KiB, maximum payload and maximum read request size, gives each read
 * a tag, and reports a client's request when all its parts have arrived (hangu-rtl-facts.md 7.3).
 *
 * Writes are posted in call order. Reads wait in a queue while all tags are in use.
 *
 * A reset forgets who asked: what is still answered then is thrown away, and its tag is free only after that.
 */
import { CPL_STATUS, TLP_KIND } from '../nic.ts';
import type { PcieUpstream, Tlp } from '../nic.ts';
import type { MemoryClient, MemoryTarget } from './memoryTarget.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { EventHandler, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';

/** Who asked for a read. `ok` is false when any part was answered with an error. @public */
export type DmaClient = MemoryClient;

/** A read in parts: what they answer to, for the client. */
class DmaRead implements DmaClient {
  parts = 0;
  #ok = true;
  readonly #client: DmaClient;
  readonly #arg: number;

  constructor(client: DmaClient, arg: number) {
    this.#client = client;
    this.#arg = arg;
  }

  dmaDone(_arg: number, ok: boolean): void {
    if (!ok) this.#ok = false;
    if (--this.parts === 0) this.#client.dmaDone(this.#arg, this.#ok);
  }
}

/** Reports to its client when as many reads as it was given have been answered. */
class DmaFence {
  #left = 0;
  readonly #client: DmaClient;
  readonly #arg: number;

  constructor(client: DmaClient, arg: number) {
    this.#client = client;
    this.#arg = arg;
  }

  /** Who is to be asked for a read of `client` from now on, so that the fence waits for it too. */
  around(client: DmaClient): DmaClient {
    this.#left++;
    return {
      dmaDone: (arg, ok) => {
        client.dmaDone(arg, ok);
        if (--this.#left === 0) this.#client.dmaDone(this.#arg, true);
      },
    };
  }
}

/** Whom answers reach after a reset, and after a time-out: what is late is thrown away. */
const NOBODY: DmaClient = { dmaDone: () => {} };
const LATE: DmaClient = { dmaDone: () => {} };

/** @public */
export class DmaEngine implements MemoryTarget, EventHandler {
  /** Extra latency in ps for the next requests: set by a block before it calls, then put back to 0. */
  delay = 0;
  /** Writes are posted, in call order. */
  readonly isPosted = true;

  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #blocks: BlockPool;
  readonly #tagLimit: number;
  #port!: PcieUpstream;
  #readLimit = 0;
  #writeLimit = 0;
  #freeTags: Int32Array = new Int32Array(0);
  #tagCount = 0;
  /** The read sent last under each tag; what stands under a free tag means nothing. */
  readonly #sent: Tlp[] = [];
  /** Reads that were never sent, for use; where answers go that nobody waits for, 0 = not needed yet. */
  #spare: Tlp | null = null;
  #waste = 0;
  /** Block that copies are put into, where the next one goes, and its end. */
  #shared = -1;
  #sharedAt = 0;
  #sharedEnd = 0;
  /** Reads waiting for a tag, oldest first: the first one, which leads to the next, and the last one if there is any. */
  #waiting: Tlp | null = null;
  #lastWaiting: Tlp | null = null;
  /** A read is given up after this time, ps; 0 = never. When each tag's was sent, and whether the timer runs. */
  readonly #timeout: SimTime;
  #sentAt = new Float64Array(0);
  #timerSet = false;
  /** Reads that were given up, oldest first. Their tags stay out of use, since answers may still come, as long as there are others. */
  readonly #late: Tlp[] = [];

  /**
   * @param tags reads outstanding at once, if the link allows as many
   * @param timeout time after which a read without an answer is given up, ps; 0 = never
   */
  constructor(scheduler: Scheduler, bytes: ByteStore, blocks: BlockPool, tags = 64, timeout: SimTime = 0) {
    this.#tagLimit = tags;
    this.#timeout = timeout;
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
    this.#sentAt = new Float64Array(n);
  }

  /**
   * Forgets everything: reads that wait are never sent, answers to the others reach nobody and none of the memory that
   * they were meant for.
   */
  reset(): void {
    this.delay = 0;
    this.endCopies();
    if (this.#waiting !== null) {
      (this.#lastWaiting as Tlp).next = this.#spare;
      this.#spare = this.#waiting;
      this.#waiting = null;
    }
    if (this.idle) return;
    for (const t of this.unanswered()) this.#throwAway(t, NOBODY);
  }

  /** Calls `client.dmaDone(arg, true)` when all reads asked for so far have been answered: at once when there are none. */
  fence(client: DmaClient, arg = 0): void {
    if (this.idle) {
      client.dmaDone(arg, true);
      return;
    }
    const fence = new DmaFence(client, arg);
    for (const t of this.unanswered()) t.owner = fence.around(t.owner as DmaClient);
    for (let t = this.#waiting; t !== null; t = t.next) t.owner = fence.around(t.owner as DmaClient);
  }

  /** True when nothing is in flight or waiting. */
  get idle(): boolean {
    return this.#tagCount + this.#late.length === this.#freeTags.length;
  }

  /** Reads `length` bytes (at least 1) of host memory to `dst`; calls `client.dmaDone(arg, ok)` once all are there. */
  read(hi: number, lo: number, length: number, dst: number, client: DmaClient, arg = 0): void {
    // The common case: one part, which the client itself is asked for.
    if (this.piece(lo, length, this.#readLimit) === length) this.#readPart(hi, lo, length, dst, client, arg);
    else this.#readParts(hi, lo, length, dst, new DmaRead(client, arg));
  }

  /**
   * Posts a write of bytes that stay in `block` (retained once per packet sent; the caller keeps its own reference).
   * @param client told at once: what comes later does not overtake it
   */
  write(hi: number, lo: number, length: number, src: number, block: number, client?: MemoryClient, arg = 0): void {
    const n = this.piece(lo, length, this.#writeLimit);
    this.#writePart(hi, lo, n, src, block);
    if (n !== length) this.#writeRest(hi, lo + n, length - n, src + n, block);
    if (client !== undefined) client.dmaDone(arg, true);
  }

  /** Posts a write of a copy of the bytes, at most a block of them. Copies share blocks: bursts of them may be long. */
  writeCopy(hi: number, lo: number, length: number, src: number, client?: MemoryClient, arg = 0): void {
    const at = this.#share(length);
    this.#bytes.copy(at, src, length);
    this.write(hi, lo, length, at, this.#shared, client, arg);
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
    this.#port.send(t);
  }

  /** Completion for a read of this engine. */
  completion(t: Tlp): void {
    // An error status ends the request at once; poisoned data comes in as many parts as other data.
    if (t.status !== CPL_STATUS.success) this.#finish(t, false);
    else if (t.remaining === 0) this.#finish(t, !t.poisoned);
  }

  /** Gives up the reads that have waited too long. */
  fire(): void {
    this.#timerSet = false;
    const limit = this.#scheduler.now - this.#timeout;
    const overdue = this.unanswered().filter((t) => this.isOverdue(this.#sentAt[t.tag] as number, limit));
    for (const t of overdue) {
      const client = t.owner as DmaClient;
      const { ownerArg } = t;
      this.#throwAway(t, LATE);
      this.#late.push(t);
      client.dmaDone(ownerArg, false);
    }
    while (this.#waiting !== null && this.#late.length > 0)
      this.#sendWaiting(this.#waiting, (this.#late.shift() as Tlp).tag);
    this.#keepTimer();
  }

  /** Whether a read that was sent at `sentAt` is given up, where those until `limit` are; overridable for planting. */
  protected isOverdue(sentAt: SimTime, limit: SimTime): boolean {
    return sentAt <= limit;
  }

  /** Until the oldest read that has no answer is overdue. Whoever was told may have read more meanwhile. */
  #keepTimer(): void {
    if (this.idle || this.#timerSet) return;
    const oldest = this.unanswered().reduce((time, t) => Math.min(time, this.#sentAt[t.tag] as number), Infinity);
    const left = oldest + this.#timeout - this.#scheduler.now;
    this.#setTimer(left > 0 && left < this.#timeout ? left : this.#timeout);
  }

  #setTimer(time: SimTime): void {
    this.#timerSet = true;
    this.#scheduler.schedule(time, this);
  }

  /** What is still answered of a read reaches nobody, and none of the memory that it was meant for. */
  #throwAway(t: Tlp, owner: DmaClient): void {
    if (this.#waste === 0) this.#waste = this.#bytes.alloc(this.#readLimit, 16);
    t.owner = owner;
    t.data = this.#waste;
  }

  /** All of an answer has come; overridable for planting. */
  protected answered(_t: Tlp): void {}

  #finish(t: Tlp, ok: boolean): void {
    this.answered(t);
    const { tag, ownerArg } = t;
    const client = t.owner as DmaClient;
    if (client === LATE && !this.#isAnsweredLate(t)) return;
    if (this.#waiting !== null) this.#sendWaiting(this.#waiting, tag);
    else this.#freeTags[this.#tagCount++] = tag;
    client.dmaDone(ownerArg, ok);
  }

  /**
   * Length of the next part: up to the next multiple of the size limit, of which the page end is one. Overridable for
   * planting.
   */
  protected piece(lo: number, left: number, limit: number): number {
    const toBoundary = limit - (lo & (limit - 1));
    return left < toBoundary ? left : toBoundary;
  }

  /** Tag that a read carries which has been given `tag`; overridable for planting. */
  protected tagOf(tag: number): number {
    return tag;
  }

  /** An answer to a read that was given up. @returns false when its tag has been used again since */
  #isAnsweredLate(t: Tlp): boolean {
    const at = this.#late.indexOf(t);
    if (at >= 0) this.#late.splice(at, 1);
    return at >= 0;
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

  /** Reads that have a tag. */
  protected unanswered(): Tlp[] {
    const free = new Set(this.#freeTags.subarray(0, this.#tagCount));
    return this.#sent.filter((t, tag) => !free.has(tag) && !this.#late.includes(t));
  }

  #readParts(hi: number, lo: number, length: number, dst: number, whole: DmaRead): void {
    let at = lo;
    let to = dst;
    let left = length;
    while (left > 0) {
      const n = this.piece(at, left, this.#readLimit);
      whole.parts++;
      this.#readPart(hi, at, n, to, whole, 0);
      at += n;
      to += n;
      left -= n;
    }
  }

  #readPart(hi: number, lo: number, length: number, dst: number, client: DmaClient, arg: number): void {
    const t = this.#spare === null ? this.#port.acquire() : this.#takeSpare(this.#spare);
    t.kind = TLP_KIND.memRead;
    t.hi = hi;
    t.lo = lo;
    t.length = length;
    t.data = dst;
    t.owner = client;
    t.ownerArg = arg;
    t.readyAt = this.#scheduler.now + this.delay;
    if (this.#tagCount === 0) this.#waitForTag(t);
    else this.#issue(t, this.#freeTags[--this.#tagCount] as number);
  }

  #takeSpare(t: Tlp): Tlp {
    this.#spare = t.next;
    t.next = null;
    return t;
  }

  /** No tag is free, but perhaps one whose answer will never come. */
  #waitForTag(t: Tlp): void {
    const late = this.#late.shift();
    if (late === undefined) this.#wait(t);
    else this.#issue(t, late.tag);
  }

  #issue(t: Tlp, tag: number): void {
    this.#sent[tag] = t;
    this.#sentAt[tag] = t.readyAt;
    if (this.#timerSet !== true && this.#timeout > 0) this.#setTimer(this.#timeout);
    t.tag = this.tagOf(tag);
    this.#port.send(t);
  }

  #wait(t: Tlp): void {
    if (this.#waiting === null) this.#waiting = t;
    else (this.#lastWaiting as Tlp).next = t;
    this.#lastWaiting = t;
  }

  /** The read that has waited longest is given the tag of one that has been answered. */
  #sendWaiting(t: Tlp, tag: number): void {
    this.#waiting = t.next;
    t.next = null;
    const { now } = this.#scheduler;
    if (t.readyAt < now) t.readyAt = now;
    this.#issue(t, tag);
  }

  /** What of a write lies behind its first part. */
  #writeRest(hi: number, lo: number, length: number, src: number, block: number): void {
    let at = lo;
    let from = src;
    let left = length;
    while (left > 0) {
      const n = this.piece(at, left, this.#writeLimit);
      this.#writePart(hi, at, n, from, block);
      at += n;
      from += n;
      left -= n;
    }
  }

  #writePart(hi: number, lo: number, length: number, src: number, block: number): void {
    const t = this.#port.acquire();
    t.kind = TLP_KIND.memWrite;
    t.hi = hi;
    t.lo = lo;
    t.length = length;
    t.data = src;
    this.#blocks.retain(block);
    t.block = block;
    t.readyAt = this.#scheduler.now + this.delay;
    this.#port.send(t);
  }
}
