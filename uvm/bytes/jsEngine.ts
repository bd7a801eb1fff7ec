/**
 * The byte operations without WebAssembly: the same results as bytes.c, several times slower. For machines that have
 * no WebAssembly, and as the second opinion that the specs compare the compiled module with.
 */

import { type ByteEngine, type CopyHashed, type FillHashed, GROWTH_UNIT, type HashMessage } from './byteEngine.ts';
import { crc32Table, crc32Update } from './crc32Js.ts';

/** Builds the fallback over a memory of its own. Growing copies the contents. */
export function createJsEngine(initialBytes: number): ByteEngine {
  return new JsEngine(initialBytes);
}

const STATE_MULTIPLIER = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;
/** What sets the states of a long run apart. */
const STATE_OFFSET = [0, 0x243f6a88, 0x13198a2e, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89, 0x452821e6] as const;
/** Lengths from which on a run has four states and, for whole multiples, eight. */
const FOUR_STATES = 64;
const EIGHT_STATES = 256;

/** Length of the table of random bytes behind seeded contents, and the key that it is made of. */
const PERIOD = 4096;
const PATTERN_KEY = 0x524e4943;

// Methods are arrow functions: the store calls them detached, like the exports of a WebAssembly module.
class JsEngine implements ByteEngine {
  readonly implementation = 'js';
  readonly base = 0;
  #u8: Uint8Array;
  readonly #table = crc32Table();
  readonly #scratch = new Int32Array(32);
  readonly #pattern = patternTable();

  constructor(initialBytes: number) {
    this.#u8 = new Uint8Array(roundUp(initialBytes));
  }

  buffer(): ArrayBuffer {
    return this.#u8.buffer as ArrayBuffer;
  }

  grow(bytes: number): void {
    if (bytes <= this.#u8.length) return;
    const wider = new Uint8Array(roundUp(bytes));
    wider.set(this.#u8);
    this.#u8 = wider;
  }

  readonly copy = (dst: number, src: number, n: number): void => {
    this.#u8.copyWithin(dst >>> 0, src >>> 0, (src >>> 0) + n);
  };

  readonly zero = (off: number, n: number): void => {
    this.#u8.fill(0, off >>> 0, (off >>> 0) + n);
  };

  readonly equal = (a: number, b: number, n: number): number => (this.firstDifference(a, b, n) < 0 ? 1 : 0);

  readonly firstDifference = (a: number, b: number, n: number): number => {
    const u8 = this.#u8;
    const p = a >>> 0;
    const q = b >>> 0;
    for (let i = 0; i < n; i++) if (u8[p + i] !== u8[q + i]) return i;
    return -1;
  };

  readonly crc32 = (crc: number, off: number, n: number): number =>
    ~crc32Update(this.#table, ~crc, this.#u8, off >>> 0, n);

  readonly fillSeeded = (key: number, position: number, off: number, n: number): void => {
    const u8 = this.#u8;
    const p = off >>> 0;
    const contents = new SeededBytes(this.#pattern, key);
    for (let i = 0; i < n; i++) u8[p + i] = contents.at((position + i) >>> 0);
  };

  readonly equalSeeded = (key: number, position: number, off: number, n: number): number =>
    this.firstDifferenceSeeded(key, position, off, n) < 0 ? 1 : 0;

  readonly firstDifferenceSeeded = (key: number, position: number, off: number, n: number): number => {
    const u8 = this.#u8;
    const p = off >>> 0;
    const contents = new SeededBytes(this.#pattern, key);
    for (let i = 0; i < n; i++) if (u8[p + i] !== contents.at((position + i) >>> 0)) return i;
    return -1;
  };

  readonly hashInto = (state: number, off: number, n: number): void => {
    this.#loadState(state >>> 0);
    step(this.#scratch, 0, n, 0x165667b1, 0, 0);
    this.#absorb(off >>> 0, n);
    this.#storeState(state >>> 0);
  };

  readonly hashWords = (state: number, a: number, b: number, c: number, d: number, e: number): void => {
    this.hashMessage(state, a, b, c, d, e, 0, 0);
  };

  readonly hashMessage: HashMessage = (state, a, b, c, d, e, off, n) => {
    this.#loadState(state >>> 0);
    step(this.#scratch, 0, a, b, c, d);
    step(this.#scratch, 0, e, 0x85ebca6b, n, 0);
    this.#absorb(off >>> 0, n);
    this.#storeState(state >>> 0);
  };

  readonly copyHashed: CopyHashed = (state, a, b, c, d, e, dst, src, n) => {
    this.hashMessage(state, a, b, c, d, e, src, n);
    this.copy(dst, src, n);
  };

  readonly fillHashed: FillHashed = (state, a, b, c, d, e, key, position, dst, n) => {
    this.fillSeeded(key, position, dst, n);
    this.hashMessage(state, a, b, c, d, e, dst, n);
  };

  /** Takes n bytes into the loaded state. */
  #absorb(off: number, n: number): void {
    const s = this.#scratch;
    let p = off;
    let left = n;
    if (left >= FOUR_STATES) {
      for (let i = 4; i < 32; i++) s[i] = (s[i & 3] as number) ^ (STATE_OFFSET[i >> 2] as number);
      if (left >= EIGHT_STATES) {
        for (; left >= EIGHT_STATES; left -= EIGHT_STATES, p += EIGHT_STATES)
          for (let i = 0; i < 16; i++) this.#stepBytes((4 * i) & 31, p + 16 * i, 16);
        for (let i = 0; i < 16; i += 4) stepWith(s, i, i + 16);
      }
      for (; left >= 64; left -= 64, p += 64) for (let i = 0; i < 4; i++) this.#stepBytes(4 * i, p + 16 * i, 16);
      for (let i = 4; i < 16; i += 4) stepWith(s, 0, i);
    }
    for (; left >= 16; left -= 16, p += 16) this.#stepBytes(0, p, 16);
    if (left > 0) this.#stepBytes(0, p, left);
  }

  /** One step with up to 16 bytes, the missing ones zero. */
  #stepBytes(index: number, p: number, n: number): void {
    const w0 = this.#word(p, n);
    const w1 = this.#word(p + 4, n - 4);
    const w2 = this.#word(p + 8, n - 8);
    step(this.#scratch, index, w0, w1, w2, this.#word(p + 12, n - 12));
  }

  /** Little-endian word of which the first `n` bytes count. */
  #word(p: number, n: number): number {
    const u8 = this.#u8;
    let word = 0;
    for (let i = Math.min(n, 4) - 1; i >= 0; i--) word = (word << 8) | (u8[p + i] as number);
    return word;
  }

  #loadState(p: number): void {
    for (let i = 0; i < 4; i++) this.#scratch[i] = this.#word(p + 4 * i, 4);
  }

  #storeState(p: number): void {
    for (let i = 0; i < 16; i++) this.#u8[p + i] = (this.#scratch[i >> 2] as number) >>> (8 * (i & 3));
  }
}

/** Contents named by a key, byte after byte. */
class SeededBytes {
  readonly #pattern: Uint8Array;
  readonly #key: number;
  readonly #own = new Uint8Array(16);
  /** Which period `#own` and `#start` are of. */
  #period = -1;
  #start = 0;

  constructor(pattern: Uint8Array, key: number) {
    this.#pattern = pattern;
    this.#key = key;
  }

  /** @param position 0 .. 2^32 - 1 */
  at(position: number): number {
    const period = Math.floor(position / PERIOD);
    if (period !== this.#period) this.#enter(period);
    const common = this.#pattern[(position + this.#start) % PERIOD] as number;
    return common ^ (this.#own[position & 15] as number);
  }

  #enter(period: number): void {
    this.#period = period;
    const key = (this.#key + Math.imul(period, 0x632be5ab)) | 0;
    for (let i = 0; i < 16; i++) this.#own[i] = byteOf(key, i);
    const h = Math.imul(key, 0x9e3779b1);
    const mixed = Math.imul(h ^ (h >>> 15), 0x85ebca77);
    this.#start = (mixed ^ (mixed >>> 13)) & (PERIOD - 1);
  }
}

function patternTable(): Uint8Array {
  return Uint8Array.from({ length: PERIOD }, (_, i) => byteOf(PATTERN_KEY, i));
}

/** A byte of `blockOf` of bytes.c. */
function byteOf(key: number, position: number): number {
  const second = Math.imul((key << 16) | (key >>> 16), 0xc2b2ae35);
  let z = (Math.imul(position & ~3, 0x9e3779b1) + key + 0x632be5ab) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x7feb352d);
  z ^= (z >>> 15) ^ second;
  z = Math.imul(z, 0x846ca68b);
  return ((z ^ (z >>> 16)) >>> ((position & 3) * 8)) & 255;
}

/** One step with the state at `from`. */
function stepWith(s: Int32Array, at: number, from: number): void {
  step(s, at, s[from] as number, s[from + 1] as number, s[from + 2] as number, s[from + 3] as number);
}

/** `step` of bytes.c on the four words from `at`. */
function step(s: Int32Array, at: number, a: number, b: number, c: number, d: number): void {
  const w0 = Math.imul((s[at] as number) ^ a, STATE_MULTIPLIER[0]);
  const w1 = Math.imul((s[at + 1] as number) ^ b, STATE_MULTIPLIER[1]);
  const w2 = Math.imul((s[at + 2] as number) ^ c, STATE_MULTIPLIER[2]);
  const w3 = Math.imul((s[at + 3] as number) ^ d, STATE_MULTIPLIER[3]);
  s[at] = w0 ^ (w1 >>> 15);
  s[at + 1] = w1 ^ (w2 >>> 15);
  s[at + 2] = w2 ^ (w3 >>> 15);
  s[at + 3] = w3 ^ (w0 >>> 15);
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / GROWTH_UNIT) * GROWTH_UNIT;
}
