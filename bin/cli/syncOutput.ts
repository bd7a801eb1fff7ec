/**
 * Synchronous, buffered text output: a run holds the process from start to end, so nothing may wait for the event
 * loop, and what was said before a crash must be on disk.
 */

import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import pc from 'picocolors';
import { fileProblem } from '../../files/fileError.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import { visibleText } from '../../uvm/report/visibleText.ts';
import { type Fold, folded, terminalLines } from './terminalLog.ts';

const BUFFER = 64 * 1024;
/** Of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;

/** Writes all of `text` to a file descriptor; a reader that has gone away is no error. */
export function writeFully(fd: number, text: string): void {
  let bytes: Uint8Array = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      // The pipe is full: let its reader catch up.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function plain(text: string): string {
  return text;
}

/** Buffered output to an open file descriptor, such as standard output. */
export class DescriptorOutput {
  /** Colours when the reader is a terminal that wants them; plain text otherwise, whatever the environment says. */
  readonly colours: ReturnType<typeof pc.createColors>;
  readonly #fd: number;
  readonly #limit: number;
  #text = '';
  /** Folds lines for a terminal; undefined elsewhere, and until it is loaded. */
  #fold: Fold | undefined;

  /** @param limit characters kept before they are written; 0 = none */
  constructor(fd: number, limit = BUFFER) {
    this.colours = pc.createColors(isatty(fd) && pc.isColorSupported);
    this.#fd = fd;
    this.#limit = limit;
  }

  /** @param colour of the line, which is otherwise shown as it is: what is in it, from whomever, colours nothing */
  line(text: string, colour: (text: string) => string = plain): void {
    this.#text += `${colour(visibleText(text))}\n`;
    if (this.#text.length > this.#limit) this.flush();
  }

  /** Has lines of logs folded from now on where the reader is a terminal. */
  async foldOnTerminal(): Promise<void> {
    if (!isatty(this.#fd)) return;
    const { default: wrap } = await import('wrap-ansi');
    this.#fold = (text, columns) => wrap(text, columns, { hard: true, trim: false });
  }

  /** A line of a log: folded, and its severity in colour, on a terminal that lines are folded for. */
  logLine(text: string): void {
    this.#shown(text, (fold, columns) => terminalLines(text, columns, this.colours, fold));
  }

  /** A line that is folded on a terminal, as those of a log. */
  foldedLine(text: string, colour: (text: string) => string = plain): void {
    this.#shown(text, (fold, columns) => folded(visibleText(text), columns, fold).map((line) => colour(line)), colour);
  }

  #shown(
    text: string,
    onTerminal: (fold: Fold, columns: number) => readonly string[],
    colour: (text: string) => string = plain,
  ): void {
    if (this.#fold === undefined) {
      this.line(text, colour);
      return;
    }
    this.#text += `${onTerminal(this.#fold, process.stdout.columns || USUAL_COLUMNS).join('\n')}\n`;
    if (this.#text.length > this.#limit) this.flush();
  }

  flush(): void {
    const text = this.#text;
    // First, for a run that is broken off in the middle of this must not say it twice.
    this.#text = '';
    if (text !== '') writeFully(this.#fd, text);
  }
}

/**
 * A log file that comes into being when it outgrows the buffer or is kept at the end. What the file system refuses costs
 * the log, not the run: from then on nothing is written, and `problem` says why.
 */
export class LogFile {
  readonly path: string;
  #fd = -1;
  #text = '';
  #problem: string | undefined;
  #closed = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Why the log is not complete: `log a/b.log: no space left on device`. */
  get problem(): string | undefined {
    return this.#problem;
  }

  line(text: string): void {
    if (this.#problem !== undefined || this.#closed) return;
    this.#text += `${visibleText(text)}\n`;
    if (this.#text.length > BUFFER) this.flush();
  }

  /** Writes what is buffered, creating the file and its folders when needed. */
  flush(): void {
    if (this.#problem !== undefined || this.#closed) return;
    const text = this.#text;
    this.#text = '';
    this.#problem = fileProblem(`log ${this.path}`, () => this.#write(text));
  }

  /** Ends the log; one that is not kept leaves no file. */
  close(keep: boolean): void {
    if (keep) this.flush();
    this.#closed = true;
    if (this.#fd < 0) return;
    this.#problem ??= fileProblem(`log ${this.path}`, () => closeSync(this.#fd));
    if (keep && !existsSync(this.path))
      this.#problem ??= `log ${this.path}: somebody has removed it while the run went on`;
    if (!keep) rmSync(this.path, { force: true });
  }

  #write(text: string): void {
    if (this.#fd < 0) {
      makeFolder(dirname(this.path));
      this.#fd = openSync(this.path, 'w');
    }
    writeFully(this.#fd, text);
  }
}
