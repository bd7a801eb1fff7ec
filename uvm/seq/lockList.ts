import type { SequenceClient } from './sequenceClient.ts';

/** The sequences that hold a lock or grab of a sequencer, the most recent last. */
export class LockList {
  readonly #holders: SequenceClient[] = [];

  /** Locks held. */
  get size(): number {
    return this.#holders.length;
  }

  /** The most recent holder. */
  get last(): SequenceClient | undefined {
    return this.#holders[this.#holders.length - 1];
  }

  has(sequence: SequenceClient): boolean {
    return this.#holders.includes(sequence);
  }

  add(sequence: SequenceClient): void {
    this.#holders.push(sequence);
  }

  /** False when the sequence holds none. */
  remove(sequence: SequenceClient): boolean {
    const at = this.#holders.indexOf(sequence);
    if (at >= 0) this.#holders.splice(at, 1);
    return at >= 0;
  }

  /** Whether somebody else than the sequence and its ancestors holds a lock. */
  blocks(sequence: SequenceClient): boolean {
    for (const holder of this.#holders) if (!isSelfOrAncestor(holder, sequence)) return true;
    return false;
  }
}

function isSelfOrAncestor(holder: SequenceClient, sequence: SequenceClient): boolean {
  for (let at: SequenceClient | null = sequence; at !== null; at = at.parentSequence) if (at === holder) return true;
  return false;
}
