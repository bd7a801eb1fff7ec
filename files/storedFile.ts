/**
 * Reads an ordinary file from its beginning to its end in pieces, as often as its reader wants: for files that are larger than
 * what is read at once, such as captures of a link. No more than one piece is in memory.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { InputError } from './inputFile.ts';

const PIECE_BYTES = 1 << 16;

export class StoredFile {
  /** Bytes of the file when it was opened. */
  readonly size: number;
  /** Bytes that were handed out since the beginning. */
  offset = 0;

  readonly #fd: number;
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);
  /** What of the piece is read from the file, and what of that was handed out. */
  #filled = 0;
  #used = 0;
  /** Bytes of the file that were read. */
  #read = 0;

  /** @throws InputError for what is no ordinary file; the error of the file system when it cannot be opened */
  constructor(path: string) {
    // Without waiting for somebody to write.
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(this.#fd);
    this.size = stat.size;
    if (stat.isFile()) return;
    closeSync(this.#fd);
    const what = stat.isDirectory() ? 'a folder' : 'a pipe or a device, which cannot be read twice';
    throw new InputError(`it is ${what}; give a file`);
  }

  /** Fills `into` with the next bytes. @returns how many there are: fewer than asked for only at the end of the file */
  read(into: Uint8Array): number {
    let done = 0;
    while (done < into.length) {
      if (this.#used === this.#filled && !this.#refill()) break;
      const count = Math.min(into.length - done, this.#filled - this.#used);
      into.set(this.#piece.subarray(this.#used, this.#used + count), done);
      this.#used += count;
      done += count;
    }
    this.offset += done;
    return done;
  }

  /** Goes back to the beginning. */
  rewind(): void {
    this.seek(0);
  }

  /** What is handed out next begins at this byte. */
  seek(offset: number): void {
    this.offset = offset;
    this.#filled = 0;
    this.#used = 0;
    this.#read = offset;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #refill(): boolean {
    const count = readSync(this.#fd, this.#piece, 0, PIECE_BYTES, this.#read);
    this.#read += count;
    this.#filled = count;
    this.#used = 0;
    return count > 0;
  }
}
