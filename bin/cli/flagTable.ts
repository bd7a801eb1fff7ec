/**
 * Flags as data: what is checked, what values are read from, and what yargs prints as help.
 *
 * A parser would stop at its first complaint; the harness reports every mistake at once, so names and missing values
 * are checked here, and the words that are left cannot be wrong.
 */

import { nearest } from '../../uvm/cmdline/nearest.ts';
import type { Token } from './token.ts';

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

/** What `checkFlags` makes of the words of a command line. */
export interface CheckedFlags {
  /** Words without mistakes: `--name` or `--name=value`. */
  readonly words: readonly string[];
  /** Words that are no flags. */
  readonly positionals: readonly Token[];
  readonly problems: readonly string[];
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

/** Sorts words into known flags, positionals and problems. `extra` are further names to suggest, which take a value. */
export function checkFlags(tokens: readonly Token[], table: FlagTable, extra: Iterable<string> = []): CheckedFlags {
  const valued = valuedFlags(table);
  const suggestible = new Set([...valued, ...extra]);
  const known = spellings(table);
  const out = { words: [] as string[], positionals: [] as Token[], problems: [] as string[] };
  const given = new Map<string, string>();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const [name, inline] = nameAndValue(token.text);
    const flag = known.get(name);
    if (!token.text.startsWith('-') || token.text === '-') out.positionals.push(token);
    else if (flag === undefined)
      i += addUnknown(out, token, name, [...known.keys(), ...extra], suggestible, inline, tokens[i + 1]?.text);
    else if (!valued.has(name)) {
      const value = inline ?? optionalValue(table[flag], tokens[i + 1]?.text);
      if (inline === undefined && value !== undefined) i++;
      addSwitch(out, token, value, flag, table, given);
    } else {
      const value = inline ?? tokens[++i]?.text;
      addValued(out, token, name, flag, value, table[flag]?.repeatable === true ? new Map() : given);
    }
  }
  return out;
}

/** The next word, where a flag that may have a value is given one with a blank before it. */
function optionalValue(flag: Flag | undefined, next: string | undefined): string | undefined {
  if (flag?.optionalValue !== true || next === undefined || next === '') return undefined;
  return (flag.valueLike ?? /^[^-+]/).test(next) ? next : undefined;
}

type Mutable = { words: string[]; positionals: Token[]; problems: string[] };

function addSwitch(
  out: Mutable,
  token: Token,
  inline: string | undefined,
  flag: string,
  table: FlagTable,
  given: Map<string, string>,
): void {
  const takesValue = table[flag]?.optionalValue === true;
  if (inline !== undefined && !takesValue) {
    out.problems.push(`${token.text} (${token.where}): --${flag} is a switch and takes no value; write --${flag}`);
  } else if (!takesValue) out.words.push(`--${flag}`);
  else addOptional(out, token, flag, inline ?? '', given);
}

function addOptional(out: Mutable, token: Token, flag: string, value: string, given: Map<string, string>): void {
  const before = given.get(flag);
  given.set(flag, value);
  if (before === undefined || before === value) out.words.push(`--${flag}=${value}`);
  else {
    const how = before === '' ? 'without a value' : `as ${before}`;
    out.problems.push(`${token.text} (${token.where}): --${flag} was already given ${how}; keep one of them`);
  }
}

function addValued(
  out: Mutable,
  token: Token,
  name: string,
  flag: string,
  value: string | undefined,
  given: Map<string, string>,
): void {
  const before = given.get(flag);
  if (value === undefined || value === '') {
    out.problems.push(`${name} (${token.where}): needs a value; write ${name} <value>`);
  } else if (before !== undefined && before !== value) {
    out.problems.push(`${name} ${value} (${token.where}): --${flag} was already given as ${before}; keep one of them`);
  } else {
    given.set(flag, value);
    out.words.push(`--${flag}=${value}`);
  }
}

/** `--name=value` in two parts, or `-j2` as make takes it; the value is undefined when there is none in the word. */
function nameAndValue(text: string): [string, string | undefined] {
  if (/^-[a-z]\d+$/.test(text)) return [text.slice(0, 2), text.slice(2)];
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function spellings(table: FlagTable): Map<string, string> {
  const known = new Map<string, string>();
  for (const [name, flag] of Object.entries(table)) {
    if (flag.helpOnly === true) continue;
    known.set(`--${name}`, name);
    if (flag.alias !== undefined) known.set(`-${flag.alias}`, name);
    if (flag.synonym !== undefined) known.set(`--${flag.synonym}`, name);
  }
  return known;
}

/** Reports an unknown flag. GoBacks 1 when the next word, no flag, is the value of the flag that was probably meant. */
function addUnknown(
  out: Mutable,
  token: Token,
  name: string,
  known: readonly string[],
  valued: ReadonlySet<string>,
  inline: string | undefined,
  next: string | undefined,
): number {
  const meant = meantFlag(name, known);
  const hint = meant === undefined ? '; --help lists the flags' : `; did you mean ${meant}?`;
  out.problems.push(`${token.text} (${token.where}): unknown flag${hint}`);
  const takesNext = meant !== undefined && valued.has(meant) && inline === undefined && next?.startsWith('-') !== true;
  return takesNext ? 1 : 0;
}

/** A flag of one letter is near all others: nothing is suggested for it, and none of them. */
function meantFlag(name: string, known: readonly string[]): string | undefined {
  const isLetter = (flag: string): boolean => /^-[^-]?$/.test(flag);
  if (isLetter(name)) return undefined;
  const long = known.filter((flag) => !isLetter(flag));
  const letters = name.replace(/[-_]/g, '').length;
  return nearest(name, long, 1, Math.max(1, Math.floor(letters / 3)))[0];
}
