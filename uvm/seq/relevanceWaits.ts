import type { Proc, Process, ProcessManager } from '../kernel/process.ts';
import type { SequenceClient } from './sequenceClient.ts';

/**
 * What irrelevant sequences wait for, one process each. When one of them may have become relevant all
 * waits end, and the sequencer looks at all requests anew.
 */
export class RelevanceWaits {
  readonly #name: string;
  readonly #processes: ProcessManager;
  readonly #changed: () => void;
  readonly #waits = new Map<SequenceClient, Process>();

  /**
   * @param owner path of the sequencer
   * @param changed called when a sequence may have become relevant
   */
  constructor(owner: string, processes: ProcessManager, changed: () => void) {
    this.#name = `${owner}.relevance`;
    this.#processes = processes;
    this.#changed = changed;
  }

  /** Sequences that wait. */
  get size(): number {
    return this.#waits.size;
  }

  /** Lets a sequence say when it may be relevant; nothing happens when it has been asked already. */
  begin(sequence: SequenceClient): void {
    if (this.#waits.has(sequence)) return;
    this.#waits.set(sequence, this.#processes.spawn(this.#name, this.#wait(sequence), { parent: null }));
  }

  /** A sequence has nothing to wait for any more. */
  end(sequence: SequenceClient): void {
    const process = this.#waits.get(sequence);
    this.#waits.delete(sequence);
    process?.kill();
  }

  endAll(): void {
    for (const sequence of [...this.#waits.keys()]) this.end(sequence);
  }

  *#wait(sequence: SequenceClient): Proc {
    yield* sequence.waitForRelevant();
    this.#waits.delete(sequence);
    this.endAll();
    this.#changed();
  }
}
