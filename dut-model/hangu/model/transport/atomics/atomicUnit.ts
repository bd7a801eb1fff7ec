/**
 * Execution of atomics at the responder (roce-transport.md 3.10): the word is read by DMA, changed on the chip, and
 * written back, with no other atomic of this NIC on the same word in between. Operands are numbers of 64 bits; memory
 * has them with the least byte first.
 *
 * A packet is handled again when its word is free and when the word has been read; requests of its queue pair behind it
 * wait for that, so that a failed one holds them back.
 */
import { BTH_OP } from '../../../../../rdma/bth.ts';
import { ATOMIC_BYTES } from '../../../../../rdma/verbs.ts';
import type { EventHandler } from '../../../../../uvm/kernel/scheduler.ts';
import type { MemoryTarget } from '../../../../roce/memoryTarget.ts';
import type { RxPacket } from '../../../../roce/rxPacket.ts';
import type { HanguCore } from '../../core.ts';
import { ATOMIC_STAGE, AtomicOperation, type AtomicOwner } from './atomicOperation.ts';
import { WordLocks } from './wordLocks.ts';

/** Outcome of `run`. */
export const ATOMIC = { waiting: 0, done: 1, failed: 2 } as const;

export class AtomicUnit implements AtomicOwner, EventHandler {
  /** Result of the last `run` that was done: what the word held before. */
  originalHi = 0;
  originalLo = 0;

  protected readonly core: HanguCore;
  readonly #locks = new WordLocks();
  readonly #free: AtomicOperation[] = [];
  /** Operations that can go on and whose packets have not been handled again. */
  #ready: AtomicOperation[] = [];
  #pumping = false;
  /** Latencies in ps from a frame to the read of its word, and from the word to its write. */
  readonly #receivePs: number;
  readonly #executePs: number;

  constructor(core: HanguCore) {
    this.core = core;
    this.#receivePs = core.cycles(core.config.receiveCycles);
    this.#executePs = core.cycles(core.config.atomicCycles);
  }

  /** Whether `run` takes the address of the word. */
  needsAddress(p: RxPacket): boolean {
    const stage = (p.work as AtomicOperation | null)?.stage ?? ATOMIC_STAGE.fresh;
    return stage === ATOMIC_STAGE.fresh || stage === ATOMIC_STAGE.owning;
  }

  /**
   * Takes the atomic of a packet a step further. Its word lies at address (hi, lo) of a target, which counts only where
   * `needsAddress` says so.
   * @returns `ATOMIC`; with `waiting` the packet is resumed, call again then
   */
  run(p: RxPacket, target: MemoryTarget, hi: number, lo: number): number {
    const o = (p.work as AtomicOperation | null) ?? this.#acquire(p);
    if (isUnderWay(o)) return ATOMIC.waiting;
    if (o.stage < ATOMIC_STAGE.read) return this.#read(o, target, hi, lo);
    const failed = o.stage === ATOMIC_STAGE.failed;
    if (o.stage === ATOMIC_STAGE.read) {
      this.#execute(o, p);
      // Asked anew: the new value is under way to memory that is not posted.
      if (isUnderWay(o)) return ATOMIC.waiting;
    }
    if (o.stage === ATOMIC_STAGE.written) this.#tell(o);
    p.work = null;
    this.#finish(o);
    return failed ? ATOMIC.failed : ATOMIC.done;
  }

  proceed(operation: AtomicOperation): void {
    // Nobody may be in the middle of something when a packet is handled again.
    if (operation.packet === null) this.#finish(operation);
    else this.#ready.push(operation);
    if (operation.stage >= ATOMIC_STAGE.read) this.pump();
  }

  abandoned(operation: AtomicOperation): void {
    // What is being read or written comes back first.
    const isAsked = operation.stage === ATOMIC_STAGE.reading || operation.stage === ATOMIC_STAGE.writing;
    if (!isAsked) this.#finish(operation);
    if (this.#ready.length > 0 && !this.#pumping) this.core.scheduler.schedule(0, this, 0);
  }

  /** Somebody's word has become free in the middle of something. */
  fire(): void {
    this.pump();
  }

  /** Handles the packets again that can go on. Call it when no context line is in use. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#ready.length > 0) {
      const ready = this.#ready;
      this.#ready = [];
      for (const o of ready) o.packet?.resume();
    }
    this.#pumping = false;
  }

  reset(): void {
    this.#locks.clear();
    this.#ready = [];
  }

  #acquire(p: RxPacket): AtomicOperation {
    const o = this.#free.pop() ?? new AtomicOperation(this, this.core.bytes.alloc(ATOMIC_BYTES, 8));
    o.stage = ATOMIC_STAGE.fresh;
    o.packet = p;
    p.work = o;
    return o;
  }

  #finish(o: AtomicOperation): void {
    const { stage } = o;
    o.packet = null;
    o.stage = ATOMIC_STAGE.fresh;
    if (stage !== ATOMIC_STAGE.fresh) this.#locks.release(o.word, o);
    this.#free.push(o);
  }

  #read(o: AtomicOperation, target: MemoryTarget, hi: number, lo: number): number {
    if (o.stage === ATOMIC_STAGE.owning && o.word !== lo) {
      this.#locks.release(o.word, o);
      o.stage = ATOMIC_STAGE.fresh;
    }
    o.word = lo;
    o.wordHi = hi;
    o.target = target;
    if (o.stage === ATOMIC_STAGE.fresh && !this.takes(o)) {
      o.stage = ATOMIC_STAGE.waiting;
      return ATOMIC.waiting;
    }
    o.stage = ATOMIC_STAGE.reading;
    target.delay = this.#receivePs;
    target.read(hi, lo, ATOMIC_BYTES, o.original, o);
    target.delay = 0;
    return ATOMIC.waiting;
  }

  /** Whether the operation has its word for itself at once; overridable for planting. */
  protected takes(o: AtomicOperation): boolean {
    return this.#locks.take(o.word, o);
  }

  #execute(o: AtomicOperation, p: RxPacket): void {
    const w = this.core.bytes.i32;
    const i = o.original >> 2;
    const lo = w[i] as number;
    const hi = w[i + 1] as number;
    this.originalLo = lo;
    this.originalHi = hi;
    o.originalLo = lo;
    o.originalHi = hi;
    if ((p.opcode & 31) === BTH_OP.compareSwap) {
      if (this.matches(p, hi, lo)) this.store(o, p.swapHi, p.swapLo);
      return;
    }
    const sum = (lo >>> 0) + (p.swapLo >>> 0);
    this.store(o, this.upperSum(hi, p.swapHi, sum > 0xffff_ffff ? 1 : 0), sum | 0);
  }

  /** What the word of an operation held before is the result again: others have run meanwhile. */
  #tell(o: AtomicOperation): void {
    this.originalLo = o.originalLo;
    this.originalHi = o.originalHi;
  }

  /** Whether a compare-and-swap finds what it compares with; overridable for planting. */
  protected matches(p: RxPacket, hi: number, lo: number): boolean {
    return hi === p.compareHi && lo === p.compareLo;
  }

  /** Upper half of a sum; overridable for planting. */
  protected upperSum(a: number, b: number, carry: number): number {
    return (a + b + carry) | 0;
  }

  /** Writes the new value; overridable for planting. */
  protected store(o: AtomicOperation, hi: number, lo: number): void {
    const w = this.core.bytes.i32;
    const i = o.original >> 2;
    const target = o.target as MemoryTarget;
    w[i] = lo;
    w[i + 1] = hi;
    target.delay = this.#executePs;
    if (target.isPosted) target.writeCopy(o.wordHi, o.word, ATOMIC_BYTES, o.original);
    else {
      o.stage = ATOMIC_STAGE.writing;
      target.writeCopy(o.wordHi, o.word, ATOMIC_BYTES, o.original, o);
    }
    target.endCopies();
    target.delay = 0;
  }
}

/** Something that the operation has asked for is still to come. */
function isUnderWay({ stage }: AtomicOperation): boolean {
  return stage === ATOMIC_STAGE.reading || stage === ATOMIC_STAGE.waiting || stage === ATOMIC_STAGE.writing;
}
