/** Numbers that go with words of 32 bits. */

/** What one in the upper half of a 64-bit number is worth. */
export const TWO_32 = 2 ** 32;

/** Upper half, signed, of the address whose upper half was `hi` before `low` left the 32 bits of the lower one. */
export function carried(hi: number, low: number): number {
  return (hi + Math.floor(low / TWO_32)) | 0;
}

/**
 * All bits that the index of a 32-bit word in an array may have. Of an index masked with them the engine knows that the
 * number of a field can be added to it: else it tests each sum for being beyond 32 bits.
 */
export const INDEX_BITS = 0x3fff_ffff;
