/**
 * What observers have seen and not worked through yet, in the order of events.
 *
 * What happens many times for every request is noted in a few words and worked through later, many notes at once. A run
 * has more code for each request than the first cache of a processor holds, and is as fast as that code is fetched:
 * coverage that did all its work within each event would have all of its own fetched anew, every time. Noting is little
 * code; the rest of it is fetched once for hundreds of notes.
 *
 * A note is an even number of words: the first has the number of its reader in the lowest `READER_BITS` bits, and a pair
 * of words at an even place may be one 64-bit number instead. Whoever is asked for what depends on notes, or changes what
 * they are read with, calls `work` before.
 */

/** Words of a backlog: 32 KiB, which the second cache takes with ease, and some hundred requests. */
const WORDS = 1 << 13;

/** Bits of the first word that say who reads the note. */
export const READER_BITS = 3;
const READER_MASK = (1 << READER_BITS) - 1;

/** Works one note through. @returns where the next one begins */
export type NoteReader = (at: number) => number;

export class Backlog {
  readonly words: Int32Array;
  /** The same memory: the number at words `2 n` and `2 n + 1` is number `n`. */
  readonly numbers: Float64Array;
  readonly #readers: NoteReader[] = [];
  #used = 0;

  constructor() {
    const memory = new ArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
    this.words = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
  }

  /**
   * @returns what the first word of its notes has in its lowest bits
   * @throws RangeError when there are too many
   */
  reader(read: NoteReader): number {
    if (this.#readers.length > READER_MASK) throw new RangeError(`a backlog has at most ${READER_MASK + 1} readers`);
    return this.#readers.push(read) - 1;
  }

  /**
   * Room for a note, which the caller fills in before anything else happens.
   * @param words even
   * @returns place of the first word
   * @throws RangeError for more words than a backlog has
   */
  note(words: number): number {
    if (this.#used + words > WORDS) this.#workFor(words);
    const at = this.#used;
    this.#used = at + words;
    return at;
  }

  /** Works through what has been noted. Readers note nothing. */
  work(): void {
    const end = this.#used;
    const { words } = this;
    const readers = this.#readers;
    let at = 0;
    while (at < end) at = (readers[(words[at] as number) & READER_MASK] as NoteReader)(at);
    this.#used = 0;
  }

  #workFor(words: number): void {
    if (words > WORDS) throw new RangeError(`a note of ${words} words; a backlog has ${WORDS}`);
    this.work();
  }
}
