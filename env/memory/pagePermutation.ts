/**
 * Keyed bijections of k-bit numbers: how physical pages are scattered. Every step is invertible modulo 2^k, so the
 * inverse needs no table, and a map of 2^20 pages costs no memory.
 */

const MUL_1 = 0x9e37_79b1 | 0;
const MUL_2 = 0x85eb_ca6b | 0;
/** Inverses of the multipliers modulo 2^32, and therefore modulo every smaller power of two. */
const INV_1 = inverseOf(MUL_1);
const INV_2 = inverseOf(MUL_2);
/** Spreads the key, so that its upper bits reach narrow permutations too. */
const KEY_MIX = 0x2c1b_3c6d;

/**
 * Image of `value` under the permutation of `bits`-bit numbers that `key` selects.
 * @param bits 1 .. 30
 */
export function permute(value: number, bits: number, key: number): number {
  const mask = (1 << bits) - 1;
  const shift = (bits + 1) >> 1;
  const second = secondKey(key);
  let x = (value ^ key) & mask;
  x = Math.imul(x, MUL_1) & mask;
  x ^= x >>> shift;
  x = (x + second) & mask;
  x = Math.imul(x, MUL_2) & mask;
  return x ^ (x >>> shift);
}

/** Inverse of `permute` for the same width and key. */
export function unpermute(value: number, bits: number, key: number): number {
  const mask = (1 << bits) - 1;
  const shift = (bits + 1) >> 1;
  const second = secondKey(key);
  let x = value ^ (value >>> shift);
  x = Math.imul(x, INV_2) & mask;
  x = (x - second) & mask;
  x ^= x >>> shift;
  x = Math.imul(x, INV_1) & mask;
  return (x ^ key) & mask;
}

function secondKey(key: number): number {
  const mixed = Math.imul(key ^ (key >>> 15), KEY_MIX);
  return mixed ^ (mixed >>> 13);
}

/** Newton's iteration: each round doubles the number of correct low bits. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let i = 0; i < 5; i++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}
