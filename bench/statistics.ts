/** The few statistics that a table of ratios needs. */

/** Which way a goal looks. */
export type Direction = 'at least' | 'at most';

/** Median and quartiles of the rounds. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The value below which the share `q` of the values lies, by linear interpolation. NaN when there are none. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const below = Math.floor(place);
  const lower = sorted[below] as number;
  const upper = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return lower + (upper - lower) * (place - below);
}

/** The middle value; between the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Median and quartiles. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/** True when the upper half of the rounds, the middle one included, reaches the target. */
export function holds(ratios: readonly number[], target: number, direction: Direction): boolean {
  const good = ratios.filter((ratio) => (direction === 'at least' ? ratio >= target : ratio <= target));
  return ratios.length > 0 && good.length >= Math.ceil(ratios.length / 2);
}

/** `a[i] / b[i]`. @throws RangeError when the lists differ in length */
export function ratios(a: readonly number[], b: readonly number[]): number[] {
  if (a.length !== b.length) throw new RangeError(`ratios of ${a.length} rounds to ${b.length}`);
  return a.map((value, i) => value / (b[i] as number));
}
