/** A change of a key under way: how far it has come, and who is to be called when it can go on. */
import type { MemoryClient } from '../../../roce/memoryTarget.ts';
import type { PacketWork, Resumable } from '../../../roce/rxPacket.ts';

/** Who counts the windows of regions. */
interface WindowCounter {
  /** Puts right what work that was given up has left of its counts. @returns false when the work has to wait */
  settle(work: KeyWork): boolean;
}

export class KeyWork implements Resumable, MemoryClient, PacketWork {
  step = 0;
  /** Key of the region that a window is bound to, and of the one that it was bound to before; 0 = none. */
  parent = 0;
  formerParent = 0;
  /** Key of the window; and who counts windows, until the counts are right or nothing was counted. */
  window = 0;
  counter: WindowCounter | null = null;
  /** Of that region, for the window: rights and other flags, first entry of its translation table, where it begins. */
  rights = 0;
  seg = 0;
  /** What each of these entries stands for, as its MPT entry says. */
  pageSize = 0;
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
    if (this.running) return;
    if (this.#waiter === null) this.#settle();
    else this.#waiter.resume();
  }

  dmaDone(_arg: number, ok: boolean): void {
    if (!ok) this.failed = true;
    this.pending = false;
    this.resume();
  }

  /** Its owner is gone, in the middle of it perhaps: regions must not count windows that are not bound to them. */
  abandon(): void {
    this.#waiter = null;
    this.#settle();
  }

  #settle(): void {
    if (this.counter?.settle(this) === true) this.counter = null;
  }
}
