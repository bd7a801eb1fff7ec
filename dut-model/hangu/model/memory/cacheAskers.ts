/**
 * Who waits in a cache: for lines that are being fetched, in the order of asking, and for places in sets whose ways are
 * all being fetched or pinned. Whoever is resumed asks again; who asks twice meanwhile, as one with a bug may, is resumed
 * once, for by the second time the asker may be somebody else's.
 */
import type { Resumable } from '../../../roce/rxPacket.ts';

export class CacheAskers {
  /** Lines that are being fetched, a few at a time, in no order; for each, who asked first and who did after that. */
  readonly #lines: number[] = [];
  readonly #first: Resumable[] = [];
  readonly #others: (Resumable[] | null)[] = [];
  /** Sets with askers that found every way busy, and these. */
  readonly #sets: number[] = [];
  readonly #blocked: Resumable[][] = [];
  /** Sets with blocked askers in which a line was unpinned. */
  readonly #unpinned: number[] = [];
  #waking = false;

  /** The fetch of a line begins for this asker. */
  fetch(line: number, asker: Resumable): void {
    this.#lines.push(line);
    this.#first.push(asker);
    this.#others.push(null);
  }

  /** One more asks for a line that is being fetched. */
  join(line: number, asker: Resumable): void {
    const at = this.#lines.indexOf(line);
    if (this.#first[at] === asker) return;
    const others = this.#others[at] ?? null;
    if (others === null) this.#others[at] = [asker];
    else if (!others.includes(asker)) others.push(asker);
  }

  /** The fetch of a line has ended: all who asked for it are resumed. */
  arrived(line: number): void {
    const at = this.#lines.indexOf(line);
    const first = this.#first[at] as Resumable;
    const others = this.#others[at] ?? null;
    takeOut(this.#lines, at);
    takeOut(this.#first, at);
    takeOut(this.#others, at);
    first.resume();
    if (others !== null) for (const w of others) w.resume();
  }

  /** There is no place in a set for what this asker wants. */
  block(set: number, asker: Resumable): void {
    const at = this.#sets.indexOf(set);
    if (at >= 0) {
      const blocked = this.#blocked[at] as Resumable[];
      if (!blocked.includes(asker)) blocked.push(asker);
    } else {
      this.#sets.push(set);
      this.#blocked.push([asker]);
    }
  }

  /** A way of the set is free again: who was turned away may ask again. */
  unblock(set: number): void {
    const at = this.#sets.length === 0 ? -1 : this.#sets.indexOf(set);
    if (at < 0) return;
    const blocked = this.#blocked[at] as Resumable[];
    takeOut(this.#sets, at);
    takeOut(this.#blocked, at);
    for (const w of blocked) w.resume();
  }

  /** A line of a set was unpinned: who was turned away is resumed by the next `wake`. */
  unpinned(set: number): void {
    if (this.#sets.length > 0 && this.#sets.includes(set)) this.#unpinned.push(set);
  }

  /** Resumes the askers of sets in which a line was unpinned. */
  wake(): void {
    if (this.#unpinned.length === 0 || this.#waking) return;
    this.#waking = true;
    for (let set = this.#unpinned.shift(); set !== undefined; set = this.#unpinned.shift()) this.unblock(set);
    this.#waking = false;
  }

  /** Forgets all of them; nobody is resumed. */
  clear(): void {
    this.#lines.length = 0;
    this.#first.length = 0;
    this.#others.length = 0;
    this.#sets.length = 0;
    this.#blocked.length = 0;
    this.#unpinned.length = 0;
  }
}

/** The last one takes its place. */
function takeOut<T>(list: T[], at: number): void {
  const last = list.pop() as T;
  if (at < list.length) list[at] = last;
}
