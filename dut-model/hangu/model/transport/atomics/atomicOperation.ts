import type { DmaClient } from '../../../../roce/dmaEngine.ts';
import type { MemoryTarget } from '../../../../roce/memoryTarget.ts';
import type { PacketWork, RxPacket } from '../../../../roce/rxPacket.ts';
import type { WordUser } from './wordLocks.ts';

/** How far an atomic has come. */
export const ATOMIC_STAGE = {
  fresh: 0,
  waiting: 1,
  owning: 2,
  reading: 3,
  read: 4,
  failed: 5,
  writing: 6,
  written: 7,
} as const;

/** Who goes on with an atomic. */
export interface AtomicOwner {
  /** Its word has become free, or what it read has arrived: its packet is to be handled again. */
  proceed(operation: AtomicOperation): void;
  /** Nobody waits for it any more. */
  abandoned(operation: AtomicOperation): void;
}

/** One atomic from its admission to its answer. What it reads goes to eight bytes of its own. */
export class AtomicOperation implements DmaClient, PacketWork, WordUser {
  stage: number = ATOMIC_STAGE.fresh;
  /** What the word lies in; lower half of its address there, and the upper one. */
  target: MemoryTarget | null = null;
  word = 0;
  wordHi = 0;
  /** What the word held before, once it has been executed. */
  originalLo = 0;
  originalHi = 0;
  /** Byte-store offset of the original value. */
  readonly original: number;
  /** Null when nobody waits for it any more. */
  packet: RxPacket | null = null;
  readonly #owner: AtomicOwner;

  constructor(owner: AtomicOwner, original: number) {
    this.#owner = owner;
    this.original = original;
  }

  get isAbandoned(): boolean {
    return this.packet === null;
  }

  wordGranted(): void {
    this.stage = ATOMIC_STAGE.owning;
    this.#owner.proceed(this);
  }

  dmaDone(_arg: number, ok: boolean): void {
    const isWritten = this.stage === ATOMIC_STAGE.writing;
    if (!ok) this.stage = ATOMIC_STAGE.failed;
    else this.stage = isWritten ? ATOMIC_STAGE.written : ATOMIC_STAGE.read;
    this.#owner.proceed(this);
  }

  abandon(): void {
    this.packet = null;
    this.#owner.abandoned(this);
  }
}
