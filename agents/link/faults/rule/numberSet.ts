/** Numbers that a rule selects: single ones and ranges, such as `0`, `1,4` and `8..15`. */

/** Ranges with both ends included, as written. */
export type NumberSet = readonly (readonly [low: number, high: number])[];

/** Whether a number is one of the set. */
export function isInSet(set: NumberSet, n: number): boolean {
  for (let i = 0; i < set.length; i++) {
    const range = set[i] as readonly [number, number];
    if (n >= range[0] && n <= range[1]) return true;
  }
  return false;
}

/** The largest number of the set. */
export function largestOf(set: NumberSet): number {
  return set.reduce((most, [, high]) => Math.max(most, high), 0);
}

/** As `parseNumberSet` reads it. */
export function numberSetText(set: NumberSet, base: 10 | 16 = 10): string {
  const text = (n: number): string => (base === 16 ? `0x${n.toString(16)}` : String(n));
  return set.map(([low, high]) => (low === high ? text(low) : `${text(low)}..${text(high)}`)).join(',');
}

/**
 * Reads numbers, decimal or 0x hexadecimal, of which each is within `min` and `max`.
 * @returns the set, or what is wrong with the text
 */
export function parseNumberSet(text: string, min: number, max: number): NumberSet | string {
  const ranges: (readonly [number, number])[] = [];
  for (const part of text.split(',')) {
    const [first = '', last = first, ...more] = part.split('..');
    const [low, high] = [wholeNumber(first), wholeNumber(last)];
    if (low === undefined || high === undefined || more.length > 0)
      return `${part === '' ? 'nothing' : part} is no number; write ${min}, ${min},${min + 2} or ${min}..${min + 2}`;
    const outside = [low, high].find((n) => n < min || n > max);
    if (outside !== undefined)
      return `${outside} is out of range: ${min} to ${max} are possible; try ${outside < min ? min : max}`;
    if (low > high) return `${part} begins behind its end; write ${last}..${first}`;
    ranges.push([low, high]);
  }
  return ranges;
}

/** A number as it may be written; undefined for other text. */
export function wholeNumber(text: string): number | undefined {
  return /^(\d{1,15}|0x[0-9a-f]{1,12})$/i.test(text) ? Number(text) : undefined;
}
