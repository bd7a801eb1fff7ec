/**
 * READs and atomics that their requester has done with and their responder may not have: what was flushed it may carry out yet
 * (roce-transport.md 5.3), and what was answered it answers again when the request comes once more (3.9). It reads host memory
 * for them, and if that fails its queue pair goes to the error state, whatever the requester has been told.
 *
 *   done with ─► held ─► forgotten: newer ones take its place, the responder leaves, or nothing is in flight
 */

import { TWO_32 } from '../../../uvm/bytes/words.ts';
import type { Message, QueuePair } from '../../model/work.ts';

/** Of one queue pair; more than a responder keeps (`max_dest_rd_atomic`). */
const KEPT = 32;

/** Bytes of the memory of a process, as of `spaceOf`. */
export interface MemoryRange {
  readonly space: number;
  /** Virtual address in two halves. */
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}

/** What is held for one responder. */
interface Held {
  readonly ranges: MemoryRange[];
  /** How many in a row were not carried out as far as the requester knows: those behind the first were never sent. */
  failed: number;
}

export class ResponderResources {
  readonly #held = new Map<QueuePair, Held>();

  /** The requester has done with a READ or atomic of a reliable connection. @param ok it was answered */
  doneWith(r: Message, responder: QueuePair, ok: boolean): void {
    let held = this.#held.get(responder);
    if (held === undefined) {
      held = { ranges: [], failed: 0 };
      this.#held.set(responder, held);
    }
    held.failed = ok ? 0 : held.failed + 1;
    if (held.failed > KEPT / 2) return;
    held.ranges.push({ space: r.remoteSpace, hi: r.remoteHi, lo: r.remoteLo, length: r.length });
    if (held.ranges.length > KEPT) held.ranges.shift();
  }

  /** Responders that may be reading from a range for such a request. */
  readersOf(range: MemoryRange): QueuePair[] {
    const found: QueuePair[] = [];
    for (const [responder, { ranges }] of this.#held)
      if (ranges.some((held) => held.space === range.space && overlap(held, range))) found.push(responder);
    return found;
  }

  /** A queue pair is reset or destroyed. */
  forget(responder: QueuePair): void {
    this.#held.delete(responder);
  }

  /** Nothing is in flight: no request comes once more. */
  quiet(): void {
    this.#held.clear();
  }
}

type Bytes = Omit<MemoryRange, 'space'>;

/** Whether two ranges of the same space have bytes in common. */
export function overlap(a: Bytes, b: Bytes): boolean {
  const offset = distance(a, b);
  return offset < a.length && offset + b.length > 0;
}

/** Bytes from the first one of `a` to the first one of `b`. */
export function distance(a: Bytes, b: Bytes): number {
  return (b.hi - a.hi) * TWO_32 + (b.lo >>> 0) - (a.lo >>> 0);
}
