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
