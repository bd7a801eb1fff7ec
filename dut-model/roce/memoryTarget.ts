/**
 * Where the payload of a NIC lies: host memory behind the DMA engine, or memory on the card. A translation says which one
 * an address belongs to.
 *
 * A read or write sees all writes to the same bytes that the same target was asked for before.
 */
import type { Resumable } from './rxPacket.ts';

/** Who is told that what it has asked a target for is done. `ok` is false when any part of it failed. @public */
export interface MemoryClient {
  dmaDone(arg: number, ok: boolean): void;
}

/** @public */
export interface MemoryTarget {
  /** Latency in ps that the next requests have besides the target's own: set before they are made, then put back to 0. */
  delay: number;
  /**
   * What is written is seen in front of everything that is written to host memory after that, and of every frame that is sent
   * after that, as posted writes of PCIe are. Of another target the ends of writes are to be waited for, before a completion
   * or an acknowledgement speaks of them.
   */
  readonly isPosted: boolean;
  /** Reads `length` bytes (at least 1) at (hi, lo) to byte-store offset `dst`; `client.dmaDone(arg, ok)` once all are there. */
  read(hi: number, lo: number, length: number, dst: number, client: MemoryClient, arg?: number): void;
  /**
   * Writes bytes that stay in `block` as long as they are needed: the target retains it, the caller keeps its own reference.
   * @param client told when everybody who reads sees the bytes; of a posted target at once
   */
  write(hi: number, lo: number, length: number, src: number, block: number, client?: MemoryClient, arg?: number): void;
  /** The same with a copy of the bytes, at most a block of them. */
  writeCopy(hi: number, lo: number, length: number, src: number, client?: MemoryClient, arg?: number): void;
  /** No more copies for now: nothing is kept for others. */
  endCopies(): void;
  /** Calls `client.dmaDone(arg, true)` when everything asked for so far has ended: at once when that is nothing. */
  fence(client: MemoryClient, arg?: number): void;
  /** Forgets who asked; nobody is told of anything any more. */
  reset(): void;
}

/**
 * Writes of payload, by one side of a queue pair, to targets that are not posted: counted until they have ended.
 * @public
 */
export class WritesUnderWay implements MemoryClient {
  #left = 0;
  #failed = false;
  /** A packet, and completions behind it. */
  readonly #waiting: Resumable[] = [];

  /** Whether any has not ended. */
  get isUnderWay(): boolean {
    return this.#left > 0;
  }

  /** One more is asked for. @returns whom to tell of its end */
  begin(): MemoryClient {
    this.#left++;
    return this;
  }

  dmaDone(_arg: number, ok: boolean): void {
    if (!ok) this.#failed = true;
    if (--this.#left > 0) return;
    for (const waiting of this.#waiting.splice(0)) waiting.resume();
  }

  /** Whether all have ended; otherwise `asker` is resumed when they have. */
  haveEnded(asker: Resumable): boolean {
    if (this.#left === 0) return true;
    if (!this.#waiting.includes(asker)) this.#waiting.push(asker);
    return false;
  }

  /** Whether any has failed since this was asked last. */
  takeFailure(): boolean {
    const failed = this.#failed;
    this.#failed = false;
    return failed;
  }

  /** Nobody waits any more. */
  forget(): void {
    this.#waiting.length = 0;
  }
}
