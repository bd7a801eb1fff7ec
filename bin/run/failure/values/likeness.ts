/** How a wrong value comes from the right one: reversed, shifted, cut, off by a little. Numbers without sign. */

/** Bits of a byte, and of a word of hardware. */
const BYTE = 8n;
const BYTE_MAX = 255n;
const WORD = 16n;
const LONG = 32n;
/** Widths at which hardware cuts a number, or takes its highest bit for a sign. */
const WIDTHS = [4, 8, 12, 16, 18, 20, 24, 32, 48];
/** Distances that counters and sizes are off by, besides 1. */
const MOST_OFF = 64n;

/**
 * @param bits width of the field
 * @returns in words, the most telling first: `the right value 0x12345678 with its bytes reversed`; none where nothing fits
 */
export function likenessesOf(found: bigint, expected: bigint, bits: number): string[] {
  if (found === expected) return [];
  const all = (1n << BigInt(bits)) - 1n;
  const likenesses: string[] = [];
  const says = (is: boolean, text: string): void => {
    if (is) likenesses.push(text);
  };
  if (bits > 8 && bits % 8 === 0) says(found === inPieces(expected, bits, BYTE), 'its bytes are reversed');
  if (bits % 16 === 0) {
    says(found === swappedWithin(expected, bits, BYTE), 'the bytes of each 16-bit word are swapped');
    if (bits > 16) says(found === inPieces(expected, bits, WORD), 'its 16-bit words are reversed');
  }
  if (bits === 64) {
    says(found === inPieces(expected, bits, LONG), 'its 32-bit words are swapped');
    says(found === swappedWithin(expected, bits, WORD), 'the 16-bit words of each 32-bit word are swapped');
  }
  says(found === inPieces(expected, bits, 1n) && bits >= 8 && expected !== all, 'its bits are reversed');
  const cut = WIDTHS.find((width) => width < bits && isCut(found, expected, width));
  says(cut !== undefined, `cut at ${cut} bits`);
  const sign = WIDTHS.find((width) => width < bits && found === signExtended(expected, width, bits));
  says(sign !== undefined, `its low ${sign} bits, sign-extended`);
  says(found === (~expected & all), 'every bit is inverted');
  const up = (found - expected) & all;
  const down = (expected - found) & all;
  says(up === 1n, 'one more than the right value');
  says(down === 1n, 'one less than the right value');
  const flipped = found ^ expected;
  // Small numbers are often a bit apart.
  says(
    (flipped & (flipped - 1n)) === 0n && up > 1n && down > 1n && expected > BYTE_MAX && found !== 0n,
    `bit ${flipped.toString(2).length - 1} is flipped`,
  );
  const shift = shiftOf(found, expected, bits);
  says(shift !== 0, `shifted ${shift > 0 ? 'left' : 'right'} by ${Math.abs(shift)}`);
  if (likenesses.length === 0) {
    says(up <= MOST_OFF, `${up} more than the right value`);
    says(down <= MOST_OFF, `${down} less than the right value`);
    says(
      expected !== 0n && found > expected && found % expected === 0n && found / expected <= 8n,
      `${found / (expected || 1n)} times the right value`,
    );
  }
  says(found === 0n && expected > 1n, 'zero, as a field that nobody has written');
  says(found === all && bits >= 8, 'all bits set, as a field that nobody has written');
  return likenesses;
}

/** The right value loses its high bits, and had some. */
function isCut(found: bigint, expected: bigint, width: number): boolean {
  const low = (1n << BigInt(width)) - 1n;
  return expected > low && found === (expected & low) && found !== 0n;
}

function signExtended(value: bigint, width: number, bits: number): bigint {
  return BigInt.asUintN(bits, BigInt.asIntN(width, value));
}

/** Pieces of `size` bits in reverse order. */
function inPieces(value: bigint, bits: number, size: bigint): bigint {
  const mask = (1n << size) - 1n;
  let reversed = 0n;
  for (let at = 0n; at < BigInt(bits); at += size) reversed = (reversed << size) | ((value >> at) & mask);
  return reversed;
}

/** Neighbouring pieces of `size` bits in each other's places. */
function swappedWithin(value: bigint, bits: number, size: bigint): bigint {
  const mask = (1n << size) - 1n;
  let swapped = 0n;
  for (let at = 0n; at < BigInt(bits); at += 2n * size) {
    const [low, high] = [(value >> at) & mask, (value >> (at + size)) & mask];
    swapped |= (low << (at + size)) | (high << at);
  }
  return swapped;
}

/** Places by which the right value is shifted, to the left if positive; 0 = it is not. */
function shiftOf(found: bigint, expected: bigint, bits: number): number {
  if (found === 0n || expected === 0n) return 0;
  const all = (1n << BigInt(bits)) - 1n;
  for (let k = 1; k < bits; k++) {
    if (((expected << BigInt(k)) & all) === found) return k;
    if (expected >> BigInt(k) === found) return -k;
  }
  return 0;
}

/** Bytes of which the order may be wrong: words of the buses. */
const WORDS = [2, 4, 8] as const;
/** Fewer bytes may be alike by chance. */
const LEAST_BYTES = 3;

/** The same of data, from the first wrong byte on. */
export function bytesLikenessesOf(found: Uint8Array, expected: Uint8Array): string[] {
  const n = Math.min(found.length, expected.length);
  const likenesses: string[] = [];
  const isBy = (count: number, from: (i: number) => number): boolean => {
    for (let i = 0; i < count; i++) if (found[i] !== expected[from(i)]) return false;
    return count >= LEAST_BYTES;
  };
  for (const word of WORDS)
    if (n >= word && isBy(n - (n % word), (i) => i - (i % word) + (word - 1 - (i % word))))
      likenesses.push(`the bytes of each word of ${word} B are reversed`);
  if (isBy(n, (i) => n - 1 - i)) likenesses.push('its bytes are reversed');
  for (let k = 1; n - k >= LEAST_BYTES; k++) {
    if (isBy(n - k, (i) => i + k)) likenesses.push(`${k} B are missing in front of it`);
    if (isShiftedBack(found, expected, n, k)) likenesses.push(`${k} B too many are in front of it`);
  }
  const wrong = [...found.subarray(0, n).entries()].filter(([i, byte]) => byte !== expected[i]);
  const [first] = wrong;
  if (wrong.length === 1 && first !== undefined) {
    const bits = first[1] ^ (expected[first[0]] as number);
    const what = (bits & (bits - 1)) === 0 ? `bit ${Math.log2(bits)} of it is flipped` : 'the rest is right';
    likenesses.push(`only its first byte is wrong: ${what}`);
  }
  const all = found.subarray(0, n);
  if (likenesses.length === 0 && n > 0 && all.every((byte) => byte === 0)) likenesses.push('zeros');
  if (likenesses.length === 0 && n > 0 && all.every((byte) => byte === 0xff)) likenesses.push('all bits set');
  return likenesses;
}

function isShiftedBack(found: Uint8Array, expected: Uint8Array, n: number, k: number): boolean {
  for (let i = k; i < n; i++) if (found[i] !== expected[i - k]) return false;
  return n - k >= LEAST_BYTES;
}
