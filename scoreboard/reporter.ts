/** Where findings go, with a limit so that one defect cannot flood the log. */

import type { ScbId } from './reportIds.ts';

/** The part of a component that the scoreboard's checks need: one error with a stable id. */
export interface ErrorSink {
  error(id: string, message: string): void;
}

/** Passes errors on; after `limit` of one id it only counts. */
export class Reporter {
  readonly #sink: ErrorSink;
  readonly #limit: number;
  readonly #counts = new Map<ScbId, number>();

  constructor(sink: ErrorSink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /** Reports one finding. The text is built only while it will be shown. */
  error(id: ScbId, text: () => string): void {
    const n = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, n);
    if (n > this.#limit) return;
    this.#sink.error(id, n < this.#limit ? text() : `${text()} (further ${id} are only counted)`);
  }

  /** Findings of one id so far, shown or not. */
  count(id: ScbId): number {
    return this.#counts.get(id) ?? 0;
  }

  /** Says how many findings were not shown. */
  summarise(): void {
    for (const [id, n] of this.#counts) {
      if (n > this.#limit) this.#sink.error(id, `${n - this.#limit} more findings of this kind, ${n} in all`);
    }
  }
}
