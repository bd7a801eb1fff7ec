/** The words that atomics have named, by their place in memory. */

import { hostOf, processOf } from '../model/messages.ts';
import type { Message } from '../model/work.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { readBuffer } from '../memory/bufferBytes.ts';
import { BufferCursor } from '../memory/bufferCursor.ts';
import { PAGE_MASK, PAGE_SHIFT } from '../memory/scoreboardMemory.ts';
import { ATOMIC_BYTES } from '../model/operations.ts';
import { WordTimeline, type WordFindings } from './wordTimeline.ts';

/** The number that 8 bytes of host memory hold: least significant byte first. */
export function littleEndian(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, ATOMIC_BYTES).getBigUint64(0, true);
}

export class AtomicWords {
  readonly #s: OracleState;
  readonly #findings: WordFindings;
  readonly #cursor = new BufferCursor();
  /** By page as of `DataPages`, then by offset in the page. */
  readonly #pages = new Map<number, Map<number, WordTimeline>>();
  #count = 0;

  constructor(state: OracleState, findings: WordFindings) {
    this.#s = state;
    this.#findings = findings;
  }

  /** Whether there is any word: cheap, for every write of a NIC. */
  get any(): boolean {
    return this.#count > 0;
  }

  /** The word at the remote address of a request, which is aligned and lies in memory. */
  of(r: Message): WordTimeline {
    const host = hostOf(r.remoteSpace);
    const process = processOf(r.remoteSpace);
    const [hi, lo] = [r.remoteHi, r.remoteLo];
    const page = this.#s.pages.at(host, process, hi, lo >>> PAGE_SHIFT);
    let words = this.#pages.get(page);
    if (words === undefined) {
      words = new Map();
      this.#pages.set(page, words);
    }
    const offset = lo & PAGE_MASK;
    const known = words.get(offset);
    if (known !== undefined) return known;
    const place = { host, process, hi, lo };
    const seen = this.#s.options.level >= CHECK_LEVEL.full;
    const word = new WordTimeline(place, this.valueOf(place), seen, this.#findings);
    words.set(offset, word);
    this.#count++;
    return word;
  }

  /** Every word of a page, as of `DataPages`, that has a byte in [from, to). */
  *in(page: number, from: number, to: number): Generator<WordTimeline> {
    const words = this.#pages.get(page);
    if (words === undefined) return;
    for (let offset = from & -ATOMIC_BYTES; offset < to; offset += ATOMIC_BYTES) {
      const word = words.get(offset);
      if (word !== undefined) yield word;
    }
  }

  *all(): Generator<WordTimeline> {
    for (const words of this.#pages.values()) yield* words.values();
  }

  /** What is in memory at a place. */
  valueOf({ host, process, hi, lo }: Pick<WordTimeline, 'host' | 'process' | 'hi' | 'lo'>): bigint {
    this.#cursor.startRange(host, process, hi, lo, ATOMIC_BYTES);
    return littleEndian(readBuffer(this.#s, this.#cursor, 0, ATOMIC_BYTES));
  }
}
