/**
 * Splits a simulator-style command line: `+NAME=value` plusargs on one side, flags on the other.
 *
 * `-f file` is replaced by the words of that file, to any depth up to `MAX_DEPTH`; nested files are looked for
 * relative to the file that names them.
 */

import { dirname, resolve } from 'node:path';
import { readOptionsFile } from './optionsFile.ts';
import { whyUnreadable } from './similarFile.ts';
import type { Token } from './token.ts';

/** A command line in its two halves, option files read in. */
export interface SplitArgv {
  readonly plusargs: readonly Token[];
  readonly flags: readonly Token[];
  /** Paths of the option files that were read. */
  readonly files: readonly string[];
  /** One message per unreadable or endlessly nested option file and per malformed plusarg. */
  readonly problems: readonly string[];
  /** An option file could not be read: what it says is missing. */
  readonly isPartial: boolean;
}

/** `-f` as several simulators spell it. Files that it names are looked for relative to it in any case. */
const FILE_FLAGS: ReadonlySet<string> = new Set(['-f', '-F', '-file', '--file']);

const INLINE_FILE = /^(-f|-F|-file|--file)=(.+)$/s;
const MAX_DEPTH = 8;
/** How a plusarg looks. */
export const PLUSARG = /^\+[A-Za-z_][^=\s]*(=|\+|$)/;

/**
 * @param tokens words in order
 * @param valued flags whose next word is their value, so that it is not mistaken for a plusarg or a flag
 * @param cwd folder for relative `-f` paths; default the current one
 */
export function splitArgv(tokens: readonly Token[], valued: ReadonlySet<string>, cwd = process.cwd()): SplitArgv {
  const split = {
    plusargs: [] as Token[],
    flags: [] as Token[],
    files: [] as string[],
    problems: [] as string[],
    isPartial: false,
  };
  splitInto(
    split,
    tokens.map((token) => withoutNul(split, token)),
    valued,
    cwd,
    0,
  );
  return split;
}

interface Mutable {
  readonly plusargs: Token[];
  readonly flags: Token[];
  readonly files: string[];
  readonly problems: string[];
  isPartial: boolean;
}

function splitInto(
  out: Mutable,
  tokens: readonly Token[],
  valued: ReadonlySet<string>,
  cwd: string,
  depth: number,
): void {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const next = tokens[i + 1];
    const inline = INLINE_FILE.exec(token.text);
    if (inline !== null) {
      const [, flag = '', name = ''] = inline;
      const { where } = token;
      include(out, { text: flag, where }, { text: name, where }, valued, cwd, depth);
    } else if (FILE_FLAGS.has(token.text)) {
      i++;
      include(out, token, next, valued, cwd, depth);
    } else if (token.text.startsWith('+')) {
      addPlusarg(out, token);
    } else {
      out.flags.push(token);
      if (!valued.has(token.text) || next === undefined) continue;
      out.flags.push(next);
      i++;
    }
  }
}

/** The system takes no such word; files may hold one. */
function withoutNul(out: Mutable, token: Token): Token {
  if (!token.text.includes('\0')) return token;
  const text = token.text.replaceAll('\0', '\\0');
  out.problems.push(`${text} (${token.where}): holds the character NUL, which no command line can; leave it out`);
  return { ...token, text };
}

function addPlusarg(out: Mutable, token: Token): void {
  if (PLUSARG.test(token.text)) out.plusargs.push(token);
  else
    out.problems.push(`${token.text} (${token.where}): malformed plusarg; write +NAME or +NAME=value without blanks`);
}

function include(
  out: Mutable,
  flag: Token,
  name: Token | undefined,
  valued: ReadonlySet<string>,
  cwd: string,
  depth: number,
): void {
  if (name === undefined) {
    out.problems.push(`${flag.text} (${flag.where}): needs the name of an option file`);
  } else if (depth >= MAX_DEPTH) {
    out.problems.push(
      `${flag.text} ${name.text} (${name.where}): option files are nested more than ${MAX_DEPTH} deep; is there a loop?`,
    );
  } else {
    const path = resolve(cwd, name.text);
    out.files.push(path);
    const words = tryRead(out, path, flag, name).map((token) => withoutNul(out, token));
    splitInto(out, words, valued, dirname(path), depth + 1);
  }
}

/** Option files have no such name; whatever it holds is not read as one. */
function isList(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

function tryRead(out: Mutable, path: string, flag: Token, name: Token): readonly Token[] {
  try {
    if (isList(path)) {
      out.isPartial = true;
      out.problems.push(
        `${flag.text} ${name.text} (${name.where}): this is a list; write hca_regress run ${name.text}`,
      );
      return [];
    }
    const { tokens, problems } = readOptionsFile(path);
    out.problems.push(...problems);
    return tokens;
  } catch (error) {
    out.isPartial = true;
    const why = whyUnreadable(path, error);
    out.problems.push(`${flag.text} ${name.text} (${name.where}): cannot read the option file; ${why}`);
    return [];
  }
}
