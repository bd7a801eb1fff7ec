/**
 * Reads the flags of a command line. Node splits the words; a parser would stop at its first complaint, so every mistake
 * is collected here, with the place of the word.
 */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearest } from '../../uvm/cmdline/nearest.ts';
import { type Flag, type FlagTable, valuedFlags } from './flagTable.ts';
import type { Token } from './token.ts';

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** The flags of one command line. */
export interface GivenFlags {
  /** By name; undefined where a flag is not given. An optional value that is not given is an empty string. */
  readonly flags: FlagValues;
  /** All values of a flag that may be repeated, in order. */
  readonly all: (name: string) => readonly string[];
  /** Words that are no flags. */
  readonly positionals: readonly Token[];
  /** One message for each mistake. */
  readonly problems: readonly string[];
}

/** Reads the words of a command line. `extra` are further names to suggest, which take a value. */
export function readFlags(tokens: readonly Token[], table: FlagTable, extra: Iterable<string> = []): GivenFlags {
  const reader = new FlagReader(tokens, table, [...extra]);
  const args = tokens.map(({ text }) => withTwoDashes(text));
  const parsed = parseArgs({ args, options: optionsOf(table), strict: false, allowPositionals: true, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind === 'option') reader.option(token.index, token.rawName, token.value);
    else if (token.kind === 'positional') reader.positional(token.index);
    else reader.unknown(token.index);
  }
  return reader;
}

/** Simulators write long flags with one dash. Node would read `-log` as three flags of a letter. */
function withTwoDashes(text: string): string {
  return /^-[A-Za-z][A-Za-z_-]/.test(text) ? `-${text}` : text;
}

/** A flag with an optional value is a switch to Node: the value may stand behind `=`, or be the next word. */
function optionsOf(table: FlagTable): NonNullable<ParseArgsConfig['options']> {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, flag] of Object.entries(table)) {
    if (flag.helpOnly === true) continue;
    const type = flag.optionalValue === true ? 'boolean' : flag.type;
    options[name] = flag.alias === undefined ? { type } : { type, short: flag.alias };
    if (flag.synonym !== undefined) options[flag.synonym] = { type };
  }
  return options;
}

class FlagReader implements GivenFlags {
  readonly flags: Record<string, string | boolean | undefined> = {};
  readonly positionals: Token[] = [];
  readonly problems: string[] = [];
  readonly #values: (readonly [name: string, value: string])[] = [];
  readonly #tokens: readonly Token[];
  readonly #table: FlagTable;
  readonly #names = new Map<string, string>();
  readonly #extra: readonly string[];
  /** The last word that has been dealt with: a value, or a word of several letters. */
  #done = -1;

  constructor(tokens: readonly Token[], table: FlagTable, extra: readonly string[]) {
    this.#tokens = tokens;
    this.#table = table;
    this.#extra = extra;
    for (const [name, flag] of Object.entries(table)) {
      this.flags[name] = undefined;
      for (const spelling of spellingsOf(name, flag)) this.#names.set(spelling, name);
    }
  }

  readonly all = (name: string): readonly string[] =>
    this.#values.flatMap(([flag, value]) => (flag === name ? [value] : []));

  positional(index: number): void {
    if (index > this.#done) this.positionals.push(this.#tokens[index] as Token);
  }

  option(index: number, spelling: string, given: string | undefined): void {
    if (index <= this.#done) return;
    const name = this.#names.get(spelling);
    const { text } = this.#tokens[index] as Token;
    if (name === undefined || !text.startsWith(spelling)) {
      this.unknown(index);
      return;
    }
    const flag = this.#table[name] as Flag;
    // `-j=2` is taken as `-j2` is.
    const value = /^-[^-]=/.test(text) ? given?.replace(/^=/, '') : given;
    if (flag.optionalValue === true) this.#setOptional(index, name, value ?? this.#nextValue(index, flag));
    else if (flag.type === 'string') this.#setValue(index, name, spelling, value);
    else if (value === undefined) this.flags[name] = true;
    else this.#refuse(index, text, `--${name} is a switch and takes no value; write --${name}`);
  }

  /** A flag that there is not. Where the flag that was probably meant takes a value, the next word is that value. */
  unknown(index: number): void {
    const { text } = this.#tokens[index] as Token;
    const [name = ''] = text.split('=', 1);
    const meant = meantFlag(name, [...this.#names.keys(), ...this.#extra]);
    this.#refuse(
      index,
      text,
      `unknown flag${meant === undefined ? '; --help lists the flags' : `; did you mean ${meant}?`}`,
    );
    const takesNext = meant !== undefined && [...valuedFlags(this.#table), ...this.#extra].includes(meant);
    const next = this.#tokens[index + 1]?.text;
    if (takesNext && name === text && next?.startsWith('-') === false) this.#done = index + 1;
  }

  /** The next word, where it can be the value of a flag whose value is optional. */
  #nextValue(index: number, flag: Flag): string {
    const next = this.#tokens[index + 1]?.text ?? '';
    if (!(flag.valueLike ?? /^[^-+]/).test(next)) return '';
    this.#done = index + 1;
    return next;
  }

  #setOptional(index: number, name: string, value: string): void {
    const before = this.flags[name];
    const how = before === '' ? 'without a value' : `as ${before}`;
    if (before === undefined || before === value) this.#set(name, value);
    else
      this.#refuse(index, (this.#tokens[index] as Token).text, `--${name} was already given ${how}; keep one of them`);
  }

  #setValue(index: number, name: string, spelling: string, value: string | undefined): void {
    const before = this.#table[name]?.repeatable === true ? undefined : this.flags[name];
    if (value === undefined || value === '') this.#refuse(index, spelling, `needs a value; write ${spelling} <value>`);
    else if (before === undefined || before === value) this.#set(name, value);
    else this.#refuse(index, `${spelling} ${value}`, `--${name} was already given as ${before}; keep one of them`);
  }

  #set(name: string, value: string): void {
    this.flags[name] = value;
    this.#values.push([name, value]);
  }

  #refuse(index: number, what: string, why: string): void {
    this.#done = Math.max(this.#done, index);
    this.problems.push(`${what} (${(this.#tokens[index] as Token).where}): ${why}`);
  }
}

function spellingsOf(name: string, { alias, synonym, helpOnly }: Flag): string[] {
  if (helpOnly === true) return [];
  return [
    `--${name}`,
    ...(alias === undefined ? [] : [`-${alias}`]),
    ...(synonym === undefined ? [] : [`--${synonym}`]),
  ];
}

/** A flag of one letter is near all others: it gets no suggestion, and it is none. */
function meantFlag(name: string, known: readonly string[]): string | undefined {
  const isLetter = (flag: string): boolean => /^-[^-]?$/.test(flag);
  if (isLetter(name)) return undefined;
  const long = known.filter((flag) => !isLetter(flag));
  const letters = name.replace(/[-_]/g, '').length;
  return nearest(name, long, 1, Math.max(1, Math.floor(letters / 3)))[0];
}
