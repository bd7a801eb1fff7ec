/**
 * Who waits in a cache: for lines that are being fetched, in the order of asking, and for places in sets whose ways are
 * all being fetched or pinned. Whoever is resumed asks again.
 */
import type { Resumable } from '../roce/rxPacket.ts';

export class CacheAskers {
  /** Per line: who asked first for what is being fetched, and who did after that. */
  readonly #first: (Resumable | null)[];
  readonly #others: (Resumable[] | null)[];
  /** Per set: askers that found every way busy. */
  readonly #blocked: (Resumable[] | null)[];
  /** Sets with blocked askers in which a line was unpinned. */
  readonly #unpinned: number[] = [];
  #waking = false;

  constructor(lines: number, sets: number) {
    this.#first = new Array<Resumable | null>(lines).fill(null);
    this.#others = new Array<Resumable[] | null>(lines).fill(null);
    this.#blocked = new Array<Resumable[] | null>(sets).fill(null);
  }

  /** The fetch of a line begins for this asker. */
  fetch(line: number, asker: Resumable): void {
    this.#first[line] = asker;
  }

  /** One more asks for a line that is being fetched. */
  join(line: number, asker: Resumable): void {
    const others = this.#others[line] ?? null;
    if (others === null) this.#others[line] = [asker];
    else others.push(asker);
  }

  /** The fetch of a line has ended: all who asked for it are resumed. */
  arrived(line: number): void {
    const first = this.#first[line] as Resumable;
    const others = this.#others[line] ?? null;
    this.#first[line] = null;
    if (others !== null) this.#others[line] = null;
    first.resume();
    if (others !== null) for (const w of others) w.resume();
  }

  /** There is no place in a set for what this asker wants. */
  block(set: number, asker: Resumable): void {
    const blocked = this.#blocked[set];
    if (blocked === null || blocked === undefined) this.#blocked[set] = [asker];
    else blocked.push(asker);
  }

  /** A way of the set is free again: who was turned away may ask again. */
  unblock(set: number): void {
    const blocked = this.#blocked[set];
    if (blocked === null || blocked === undefined) return;
    this.#blocked[set] = null;
    for (const w of blocked) w.resume();
  }

  /** A line of a set was unpinned: who was turned away is resumed by the next `wake`. */
  unpinned(set: number): void {
    if ((this.#blocked[set] ?? null) !== null) this.#unpinned.push(set);
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
    this.#first.fill(null);
    this.#others.fill(null);
    this.#blocked.fill(null);
    this.#unpinned.length = 0;
  }
}
