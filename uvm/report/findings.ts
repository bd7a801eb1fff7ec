/** Errors of a checker, with a limit for each id so that one defect cannot flood the log. */

import type { ReportSubject } from './reportMessage.ts';

/** Where findings go: a component, or a fake of one. @public */
export interface ErrorSink {
  error(id: string, message: string, about: ReportSubject | undefined): void;
  /** An error that counts as any other, also towards the quit count, but is not shown. */
  countError(id: string, message: () => string, about: ReportSubject | undefined): void;
  /** A line about errors that have been counted. */
  errorNote(id: string, message: string): void;
}

/** Findings of one id that are shown with their text unless told otherwise. */
export const SHOWN_PER_ID = 20;

/**
 * Passes errors on to a component; after `limit` of one id they are counted without being shown, and at the end a line
 * says how many those were. The first of an id is always shown, so that no verdict depends on the limit.
 * @public
 */
export class Findings<Id extends string = string, About extends ReportSubject = ReportSubject> {
  readonly #sink: ErrorSink;
  readonly #limit: number;
  readonly #counts = new Map<Id, number>();
  #summarised = false;

  /** @param limit at least 1 */
  constructor(sink: ErrorSink, limit: number = SHOWN_PER_ID) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /**
   * Reports one finding. The text is built only while it will be shown.
   * @param about what it accuses
   */
  error(id: Id, text: () => string, about: About): void {
    const n = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, n);
    if (n > this.#limit) this.#sink.countError(id, text, about);
    else this.#sink.error(id, n < this.#limit ? text() : `${text()} (further ${id} are only counted)`, about);
  }

  /** Findings of one id so far, shown or not. */
  count(id: Id): number {
    return this.#counts.get(id) ?? 0;
  }

  /** Says, once, how many findings were not shown. To be called at the end, also when the run is broken off. */
  summarise(): void {
    if (this.#summarised) return;
    this.#summarised = true;
    for (const [id, n] of this.#counts) {
      if (n > this.#limit) this.#sink.errorNote(id, `${n - this.#limit} more findings of this kind, ${n} in all`);
    }
  }
}
