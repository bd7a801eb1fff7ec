import type { SimTime } from './eventHandler.ts';

/** One picosecond, the unit of simulated time, and its multiples. @public */
export const PS = 1;
/** @public */
export const NS = 1000;
/** @public */
export const US = 1_000_000;
/** @public */
export const MS = 1_000_000_000;
/** @public */
export const SEC = 1_000_000_000_000;

const UNITS = [
  ['s', SEC],
  ['ms', MS],
  ['us', US],
  ['ns', NS],
  ['ps', PS],
] as const;

/** Name of a unit of time. @public */
export type TimeUnit = (typeof UNITS)[number][0];

/** A text is not a time. */
export class TimeFormatError extends RangeError {
  readonly text: string;

  constructor(text: string, reason: string) {
    super(
      `'${text}' is not a time: ${reason}. Write a number and a unit (s, ms, us, ns, ps), for example 10us or 1.5ns`,
    );
    this.text = text;
  }
}

/**
 * Writes a time exactly, in the largest unit that is not above it: 0ps, 999ps, 1.5ns, 10us. `parseTime` reads it back
 * to the same number.
 * @public
 */
export function formatTime(ps: SimTime): string {
  for (const [unit, size] of UNITS) if (ps >= size) return inUnit(ps, unit, size);
  return `${ps}ps`;
}

/**
 * Reads a time such as `10us`, `1.5 ns` or `1e3ps`; letters may be upper case.
 * @param defaultUnit unit of a bare number; without it a bare number other than 0 is refused
 * @throws TimeFormatError for other text, and for times that are not whole picoseconds or exceed 2^53 - 1
 * @public
 */
export function parseTime(text: string, defaultUnit?: TimeUnit): SimTime {
  const match = /^\s*(\d+)(?:\.(\d+))?(?:e(\d{1,2}))?\s*([munp]?s)?\s*$/i.exec(text);
  if (!match) throw new TimeFormatError(text, 'it has another form');
  const [, whole = '', fraction = '', exponent = '0', written] = match;
  const unit = (written?.toLowerCase() as TimeUnit | undefined) ?? defaultUnit;
  if (unit === undefined && Number(whole + fraction) !== 0) throw new TimeFormatError(text, 'the unit is missing');
  const ps = exactProduct(whole + fraction, unitSize(unit ?? 'ps'), fraction.length - Number(exponent));
  if (ps === undefined) throw new TimeFormatError(text, 'it is not a whole number of picoseconds');
  if (ps > Number.MAX_SAFE_INTEGER) throw new TimeFormatError(text, 'it is beyond 2^53 - 1 ps (about 2.5 hours)');
  return Number(ps);
}

function unitSize(unit: TimeUnit): number {
  return (UNITS.find(([name]) => name === unit) as (typeof UNITS)[number])[1];
}

function inUnit(ps: number, unit: TimeUnit, size: number): string {
  const whole = Math.floor(ps / size);
  const rest = ps - whole * size;
  if (rest === 0) return `${whole}${unit}`;
  const digits = Math.round(Math.log10(size));
  return `${whole}.${String(rest).padStart(digits, '0').replace(/0+$/, '')}${unit}`;
}

/** digits * size / 10^decimals, or undefined when that is not whole. Exact: user input must not be rounded. */
function exactProduct(digits: string, size: number, decimals: number): bigint | undefined {
  const product = BigInt(digits) * BigInt(size) * 10n ** BigInt(Math.max(0, -decimals));
  const divisor = 10n ** BigInt(Math.max(0, decimals));
  return product % divisor === 0n ? product / divisor : undefined;
}
