/** Sets of whole numbers as sorted closed intervals that neither overlap nor touch. */

/** From the first number to the second, both included. */
export type Interval = readonly [low: number, high: number];

/** What a declaration may give for values: a number, or a range with both ends; an end may be infinite. */
export type Values = number | Interval;

const MOST = Number.MAX_SAFE_INTEGER;

/**
 * The given numbers and ranges as a set.
 * @param where begins the text of an error
 * @throws RangeError for a number that is not whole, or a range that runs backwards
 */
export function intervalsOf(values: readonly Values[], where: string): readonly Interval[] {
  return united(values.map((given) => intervalOf(given, where)));
}

/** One number or range, with infinite ends cut at the largest safe integer. */
export function intervalOf(given: Values, where: string): Interval {
  const [low, high] = typeof given === 'number' ? [given, given] : given;
  const interval: Interval = [Math.max(low, -MOST), Math.min(high, MOST)];
  if (!interval.every(Number.isSafeInteger)) throw new RangeError(`${where}: ${textOf(given)} is no whole number`);
  if (interval[0] > interval[1]) throw new RangeError(`${where}: the range ${textOf(given)} runs backwards`);
  return interval;
}

/** The union of intervals in any order. */
export function united(intervals: readonly Interval[]): readonly Interval[] {
  const result: [number, number][] = [];
  for (const [low, high] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else result.push([low, high]);
  }
  return result;
}

/** What is in `from` and not in `taken`; both are sets. */
export function without(from: readonly Interval[], taken: readonly Interval[]): readonly Interval[] {
  let left = from;
  for (const hole of taken) left = left.flatMap((interval) => cut(interval, hole));
  return left;
}

export function contains(set: readonly Interval[], value: number): boolean {
  return set.some(([low, high]) => low <= value && value <= high);
}

export function intersects(a: readonly Interval[], b: readonly Interval[]): boolean {
  return a.some(([low, high]) => b.some(([from, to]) => from <= high && low <= to));
}

/** How many numbers there are in intervals, those in two of them counted twice. */
export function sizeOf(intervals: readonly Interval[]): number {
  return intervals.reduce((n, [low, high]) => n + (high - low + 1), 0);
}

function cut([low, high]: Interval, [from, to]: Interval): readonly Interval[] {
  if (to < low || high < from) return [[low, high]];
  const parts: Interval[] = [];
  if (low < from) parts.push([low, from - 1]);
  if (to < high) parts.push([to + 1, high]);
  return parts;
}

function textOf(given: Values): string {
  return typeof given === 'number' ? `${given}` : `[${given.join(', ')}]`;
}
