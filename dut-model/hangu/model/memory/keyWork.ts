/** A change of a key under way: how far it has come, and who is to be called when it can go on. */
import type { MemoryClient } from '../../../roce/memoryTarget.ts';
import type { PacketWork, Resumable } from '../../../roce/rxPacket.ts';

export class KeyWork implements Resumable, MemoryClient, PacketWork {
  step = 0;
  /** Key of the region that a window is bound to, and of the one that it was bound to before; 0 = none. */
  parent = 0;
  formerParent = 0;
  /** Of that region, for the window: rights and other flags, first entry of its translation table, where it begins. */
  rights = 0;
  seg = 0;
  /** Entries of a page list that are written. */
  entries = 0;
  /** Byte-store offset of the page list; -1 = it has none. */
  list = -1;
  /** A read or a fence has not ended; and whether any read has failed. */
  pending = false;
  failed = false;
  /** What it fails with when it has put back what it had done. */
  syndrome = 0;
  /** Its owner is at work on it, and need not be called. */
  running = false;
  #waiter: Resumable | null;

  constructor(waiter: Resumable) {
    this.#waiter = waiter;
  }

  resume(): void {
    if (!this.running) this.#waiter?.resume();
  }

  dmaDone(_arg: number, ok: boolean): void {
    if (!ok) this.failed = true;
    this.pending = false;
    this.resume();
  }

  abandon(): void {
    this.#waiter = null;
  }
}
