/** Reads the pieces of a capture, and says where one is cut off or lies about its length. */

import { DataError } from '../../../files/dataError.ts';
import type { StoredFile } from '../../../files/storedFile.ts';

/** The longest packet that programs which capture write: 256 KiB. */
export const LONGEST_PACKET = 1 << 18;
/** The longest block of a pcapng file that is taken: a packet with comments, or a list of names. */
const LONGEST_BLOCK = 1 << 24;

export class CaptureBytes {
  readonly #file: StoredFile;
  #buffer = Buffer.alloc(1 << 12);

  constructor(file: StoredFile) {
    this.#file = file;
  }

  /** Offset in the file of what is read next. */
  get offset(): number {
    return this.#file.offset;
  }

  /** Whether the file is at its end. */
  get isAtEnd(): boolean {
    return this.#file.offset >= this.#file.size;
  }

  /**
   * The next `length` bytes, valid until the next call.
   * @param what they are, and `frame` the number of the latest frame, for the message
   * @throws DataError where there are not so many
   */
  take(length: number, what: string, frame: number): Buffer {
    const { offset, size } = this.#file;
    if (length > LONGEST_BLOCK) {
      const why = `has ${length} B; no more than ${LONGEST_BLOCK} are taken`;
      throw wrongAt(offset, frame, `${what} ${why}: its length is wrong, or the file is damaged`);
    }
    if (length > size - offset) {
      const left = `${size - offset} of ${length} B are there`;
      throw wrongAt(offset, frame, `${what} is cut off: ${left}`);
    }
    if (this.#buffer.length < length) this.#buffer = Buffer.alloc(2 * length);
    const bytes = this.#buffer.subarray(0, length);
    if (this.#file.read(bytes) < length)
      throw wrongAt(offset, frame, `${what} is cut off: the file has become shorter`);
    return bytes;
  }
}

/** @param frame number of the latest frame that is whole */
export function wrongAt(offset: number, frame: number, what: string): DataError {
  const behind = frame === 0 ? 'before its first frame' : `behind frame ${frame}`;
  return new DataError(`byte ${offset}, ${behind}: ${what}`);
}
