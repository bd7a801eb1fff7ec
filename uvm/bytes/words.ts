/** Numbers that go with words of 32 bits. */

/** What one in the upper half of a 64-bit number is worth. */
export const TWO_32 = 2 ** 32;
