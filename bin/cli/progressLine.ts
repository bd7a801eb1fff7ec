/** One line on a terminal that is written over in place; silent when standard error is no terminal. */

import { visibleText } from '../../uvm/report/visibleText.ts';
import { writeFully } from './syncOutput.ts';

const STANDARD_ERROR = 2;
const INTERVAL_MS = 200;

export interface ProgressLineOptions {
  /** Default: whether standard error is a terminal. */
  readonly enabled?: boolean;
  /** Nothing is shown before this time, so that short work leaves no trace. Milliseconds. */
  readonly quietMs?: number;
  readonly now?: () => number;
  readonly write?: (text: string) => void;
}

export class ProgressLine {
  readonly #enabled: boolean;
  readonly #now: () => number;
  readonly #write: (text: string) => void;
  #next: number;
  #shown = false;

  constructor(options: ProgressLineOptions = {}) {
    this.#enabled = options.enabled ?? process.stderr.isTTY === true;
    this.#now = options.now ?? (() => performance.now());
    this.#write = options.write ?? ((text) => writeFully(STANDARD_ERROR, text));
    this.#next = this.#now() + (options.quietMs ?? 2000);
  }

  /** Whether anybody sees it. */
  get enabled(): boolean {
    return this.#enabled;
  }

  /** Shows a text if the last one is old enough; builds it only then. */
  update(text: () => string): void {
    if (!this.#enabled) return;
    const now = this.#now();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MS;
    this.#shown = true;
    this.#write(`\r\x1b[K${visibleText(text()).slice(0, (process.stderr.columns || 120) - 1)}`);
  }

  /** Takes the line away, before other output. */
  clear(): void {
    if (!this.#shown) return;
    this.#shown = false;
    this.#write('\r\x1b[K');
  }
}
