/** Wall-clock limits as typed. */

/** Limit of a run that names none. */
export const DEFAULT_TIMEOUT_SECONDS = 3600;

/** @returns seconds; undefined when none were given or what was given is none, which is added to the problems */
export function parseSeconds(text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  problems.push(`--timeout ${text} (command line): not a time; allowed: a number of seconds above 0`);
  return undefined;
}

const UNIT_SECONDS = { '': 1, s: 1, m: 60, h: 3600 } as const;

/** A longer span as people write it: `90`, `90s`, `10m`, `2h`. @returns seconds; undefined as for `parseSeconds` */
export function parseSpan(flag: string, text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  const seconds = Number(number) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  if (number !== undefined && seconds > 0) return seconds;
  problems.push(`--${flag} ${text} (command line): not a time; allowed: seconds above 0, or a number with s, m or h`);
  return undefined;
}
