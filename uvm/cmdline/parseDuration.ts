import type { SimTime } from '../kernel/scheduler.ts';

const UNITS: Readonly<Record<string, number>> = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 };

/**
 * Simulated time of a plusarg in ps: a plain number counts nanoseconds (the time unit of the harness), a suffix
 * `ps ns us ms s` says otherwise. Larger than the largest safe time is clamped to it. Undefined if it is no time.
 */
export function parseDuration(text: string): SimTime | undefined {
  const match = /^(\d[\d_]*(?:\.\d+)?)\s*(ps|ns|us|ms|s)?$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, number = '', unit = 'ns'] = match;
  const ps = Math.round(Number(number.replaceAll('_', '')) * (UNITS[unit.toLowerCase()] ?? 1e3));
  return Math.min(ps, Number.MAX_SAFE_INTEGER);
}
