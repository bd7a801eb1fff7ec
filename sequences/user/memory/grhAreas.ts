/**
 * Which areas for GRHs of a side its receives have. Receives of a shared queue come back in any order, and one may be held for long: an
 * area is used again only when its receive has completed. Receives that come back without a completion keep theirs, as long as there
 * are others.
 */
import type { Srq } from '../../../env/verbs/verbsObjects.ts';

interface Holder {
  readonly srq: Srq;
  readonly wrId: number;
}

/** Ids of the receives of shared queues that have not completed, whichever side has posted them. */
const WAITING = new WeakMap<Srq, Set<number>>();

export class GrhAreas {
  readonly #holders: (Holder | null)[];
  #next = 0;

  /** @param count of areas */
  constructor(count: number) {
    this.#holders = Array.from({ length: count }, () => null);
  }

  /** The number of the area of the next receive, with id `wrId` in the shared queue `srq`; null: in a queue of its own. */
  take(srq: Srq | null, wrId: number): number {
    const count = this.#holders.length;
    let place = this.#next;
    for (let tries = 1; tries < count && this.#isHeld(place); tries++) place = (place + 1) % count;
    this.#next = (place + 1) % count;
    this.#holders[place] = srq === null ? null : { srq, wrId };
    if (srq !== null) waitingOf(srq).add(wrId);
    return place;
  }

  #isHeld(place: number): boolean {
    const holder = this.#holders[place];
    return holder?.srq.alive === true && waitingOf(holder.srq).has(holder.wrId);
  }
}

/** A receive of a shared queue has completed. */
export function sharedCompleted(srq: Srq, wrId: number): void {
  WAITING.get(srq)?.delete(wrId);
}

function waitingOf(srq: Srq): Set<number> {
  const known = WAITING.get(srq);
  if (known !== undefined) return known;
  const made = new Set<number>();
  WAITING.set(srq, made);
  return made;
}
