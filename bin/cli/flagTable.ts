/** Flags as data: `readFlags` reads a command line by them, and `helpText` prints them. */

/** One flag: where help shows it, and what it takes. */
export interface Flag {
  readonly group: string;
  readonly type: 'string' | 'boolean';
  /** What its value is called in the help text (`--seed <seed>`); of strings only. */
  readonly value?: string;
  readonly describe: string;
  readonly alias?: string;
  /** What other programs call it; taken, and not in the help text. */
  readonly synonym?: string;
  /** May be given without value (`--pcap`, `--pcap=file`). */
  readonly optionalValue?: boolean;
  /** With an optional value: words that are taken for it when they follow. Default: none that begins with + or -. */
  readonly valueLike?: RegExp;
  /** May be given several times, with several values. */
  readonly repeatable?: boolean;
  /** Seldom needed: the first page of the help leaves it out. */
  readonly detail?: boolean;
  /** Taken off the command line before; in the table for the help text only. */
  readonly helpOnly?: boolean;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** Flags of a table that fulfil a condition. */
export function flagsOf(table: FlagTable, fulfils: (flag: Flag) => boolean): FlagTable {
  return Object.fromEntries(Object.entries(table).filter(([, flag]) => fulfils(flag)));
}

/** All spellings of flags that take the next word as value: `--log`, `-l`. */
export function valuedFlags(table: FlagTable): Set<string> {
  const names = new Set<string>();
  for (const [name, flag] of Object.entries(table)) {
    if (flag.type === 'boolean' || flag.optionalValue === true || flag.helpOnly === true) continue;
    names.add(`--${name}`);
    if (flag.alias !== undefined) names.add(`-${flag.alias}`);
    if (flag.synonym !== undefined) names.add(`--${flag.synonym}`);
  }
  return names;
}
