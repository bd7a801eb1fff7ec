/** Values of flags from words that `checkFlags` has accepted. */

import type { FlagTable } from './flagTable.ts';

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** Values by name from words such as `--name` and `--name=value`; a flag that was not given is undefined. */
export function parseFlags(words: readonly string[], table: FlagTable): FlagValues {
  const given = new Map(words.map(nameAndValue));
  const values: Record<string, string | boolean | undefined> = {};
  for (const [name, flag] of Object.entries(table)) {
    const value = given.get(name);
    values[name] = flag.type === 'boolean' && value !== undefined ? true : value;
  }
  return values;
}

/** Values of a flag that may be repeated, in order. */
export function valuesOf(words: readonly string[], name: string): string[] {
  return words.map(nameAndValue).flatMap(([flag, value]) => (flag === name ? [value] : []));
}

function nameAndValue(word: string): [string, string] {
  const at = word.indexOf('=');
  return at < 0 ? [word.slice(2), ''] : [word.slice(2, at), word.slice(at + 1)];
}
