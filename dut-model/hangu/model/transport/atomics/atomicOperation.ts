import type { DmaClient } from '../../../../roce/dmaEngine.ts';
import type { PacketWork, RxPacket } from '../../../../roce/rxPacket.ts';
import type { WordUser } from './wordLocks.ts';

/** How far an atomic has come. */
export const ATOMIC_STAGE = { fresh: 0, waiting: 1, owning: 2, reading: 3, read: 4, failed: 5 } as const;

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
  /** Lower half of the word's address, and the upper one. */
  word = 0;
  wordHi = 0;
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
    this.stage = ok ? ATOMIC_STAGE.read : ATOMIC_STAGE.failed;
    this.#owner.proceed(this);
  }

  abandon(): void {
    this.packet = null;
    this.#owner.abandoned(this);
  }
}
