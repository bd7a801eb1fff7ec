/**
 * Hashes that turn names and numbers into seeds. Not cryptographic; equal on every machine.
 */

const M1 = 0x85ebca6b;
const M2 = 0xc2b2ae35;
const GOLDEN = 0x9e3779b1;
const TAG_NUMBER = 0x4e554d42;
const TAG_STRING = 0x53545247;

/**
 * Hash of a list of strings and integers as four unsigned 32-bit words.
 *
 * The list is hashed with its structure: ('ab', 'c'), ('a', 'bc') and ('abc') differ, and so do 1 and '1'. Strings
 * count by UTF-16 code units.
 *
 * @throws RangeError for a number that is not a safe integer: seeds and ordinals are whole numbers.
 */
export function hash128(...parts: readonly (string | number)[]): [number, number, number, number] {
  const h = new Hash128();
  for (const part of parts) {
    if (typeof part === 'string') h.addString(part);
    else h.addInteger(part);
  }
  return h.finish(parts.length);
}

/**
 * Mixes three 32-bit integers to one unsigned 32-bit integer. Every input bit reaches every output bit.
 * For table look-ups and page keys: a few nanoseconds, no allocation.
 */
export function hash32(a: number, b: number, c: number): number {
  return hash32Of(hash32Begun(a, b), c) >>> 0;
}

/** What `hash32` makes of its first two numbers: for many hashes that differ in the third alone. */
export function hash32Begun(a: number, b: number): number {
  let h = Math.imul(a ^ 0x3c6ef372, GOLDEN);
  h = Math.imul(h ^ (h >>> 15) ^ b, M1);
  return h ^ (h >>> 13);
}

/** `hash32` of the numbers that `begun` stands for and `c`, as a signed integer. */
export function hash32Of(begun: number, c: number): number {
  return avalanche(Math.imul(begun ^ c, M2));
}

/** Final mixer of MurmurHash3: a bijection of 32 bits in which every bit depends on all others. */
function avalanche(x: number): number {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), M1);
  h = Math.imul(h ^ (h >>> 13), M2);
  return h ^ (h >>> 16);
}

/** Four lanes, each fed with every word under its own rotation and multiplier, cross-mixed at the end. */
class Hash128 {
  #a = 0x243f6a88 | 0;
  #b = 0x85a308d3 | 0;
  #c = 0x13198a2e | 0;
  #d = 0x03707344 | 0;

  addString(text: string): void {
    this.#add(TAG_STRING ^ text.length);
    for (let i = 0; i < text.length; i++) this.#add(text.charCodeAt(i));
  }

  addInteger(n: number): void {
    if (!Number.isSafeInteger(n)) throw new RangeError(`hash128: ${n} is not a safe integer; pass it as a string`);
    this.#add(TAG_NUMBER);
    this.#add(n | 0);
    this.#add(Math.floor(n / 2 ** 32));
  }

  finish(count: number): [number, number, number, number] {
    this.#add(count);
    for (let i = 0; i < 4; i++) this.#add(i);
    return [avalanche(this.#a) >>> 0, avalanche(this.#b) >>> 0, avalanche(this.#c) >>> 0, avalanche(this.#d) >>> 0];
  }

  #add(word: number): void {
    const a = this.#a;
    const b = this.#b;
    const c = this.#c;
    const d = this.#d;
    this.#a = rotateAdd(a ^ word, GOLDEN, 15, b);
    this.#b = rotateAdd(b ^ word, 0x85ebca77, 13, c);
    this.#c = rotateAdd(c ^ word, 0xc2b2ae3d, 17, d);
    this.#d = rotateAdd(d ^ word, 0x27d4eb2f, 11, a);
  }
}

function rotateAdd(x: number, multiplier: number, bits: number, neighbour: number): number {
  const p = Math.imul(x, multiplier);
  return (((p << bits) | (p >>> (32 - bits))) + neighbour) | 0;
}
