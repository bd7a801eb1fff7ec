/** What is different among the errors of a run: known issues are held against each of them. */

import { signatureText } from '../../regress/report/signatureText.ts';
import type { RunRecord } from '../../regress/runRecord.ts';

/** Errors that are kept, and those that are looked at. */
const MOST = 32;
const MOST_SEEN = 1000;

export class DistinctErrors {
  readonly #errors = new Map<string, RunRecord['findings']['errors'][number]>();
  #seen = 0;
  #isWhole = true;

  /** @param message first line of its text */
  add(id: string, message: string): void {
    if (!this.#isWhole) return;
    this.#seen++;
    const text = signatureText(message);
    const key = `[${id}] ${text}`;
    if (this.#seen > MOST_SEEN || (this.#errors.size >= MOST && !this.#errors.has(key))) this.#isWhole = false;
    else this.#errors.set(key, { id, text });
  }

  get findings(): RunRecord['findings'] {
    return { errors: [...this.#errors.values()], isWhole: this.#isWhole };
  }
}
