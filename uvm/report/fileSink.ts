import { closeSync, openSync, writeSync } from 'node:fs';
import { visibleText } from './visibleText.ts';

const FLUSH_CHARACTERS = 1 << 16;

/** A log file written synchronously in large pieces; `close` (or `flush`) brings the last lines to disk. @public */
export class FileSink {
  readonly path: string;
  /** Appends one line; usable as a `TextSink`. */
  readonly write = (text: string): void => {
    this.#pending.push(visibleText(text));
    this.#characters += text.length + 1;
    if (this.#characters >= FLUSH_CHARACTERS) this.flush();
  };
  #fd: number;
  #pending: string[] = [];
  #characters = 0;

  /** Opens, and empties, the file. @throws the error of the file system. */
  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, 'w');
  }

  flush(): void {
    if (this.#pending.length === 0 || this.#fd < 0) return;
    writeSync(this.#fd, `${this.#pending.join('\n')}\n`);
    this.#pending = [];
    this.#characters = 0;
  }

  /** Flushes and closes; further writes are lost silently, a second close does nothing. */
  close(): void {
    if (this.#fd < 0) return;
    this.flush();
    closeSync(this.#fd);
    this.#fd = -1;
  }
}
