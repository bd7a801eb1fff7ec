import { createRequire } from 'node:module';
import { Wildcard } from './wildcard.ts';

/**
 * Path patterns of UVM (1800.2 C.4.6 `uvm_is_match`): `*` any characters, `+` one or more, `?` exactly one, all
 * of them across dots. A pattern between slashes is a regular expression, as RE2 takes it: in linear time, and therefore
 * without looking ahead or back. Without the slashes it has at most 200 characters.
 */
export class Glob {
  readonly pattern: string;
  readonly #exact: boolean;
  readonly #matches: (text: string) => boolean;

  /** @throws PatternError when a `/regular expression/` is malformed: see `patternMistake` */
  constructor(pattern: string) {
    this.pattern = pattern;
    this.#exact = !isGlob(pattern);
    this.#matches = this.#exact ? () => false : matcherOf(pattern);
  }

  /** Whether the whole of `text` is matched. */
  matches(text: string): boolean {
    return this.#exact ? text === this.pattern : this.#matches(text);
  }
}

/** A `/regular expression/` that is none. */
export class PatternError extends Error {}

/** Whether a string is more than a literal name. */
export function isGlob(pattern: string): boolean {
  return /[*+?]/.test(pattern) || isRegExp(pattern);
}

/** What is wrong with a pattern, for whoever reads it; undefined for nothing. */
export function patternMistake(pattern: string): string | undefined {
  if (!isRegExp(pattern)) return undefined;
  try {
    matcherOf(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

const LONGEST = 200;

function isRegExp(pattern: string): boolean {
  return pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/');
}

function matcherOf(pattern: string): (text: string) => boolean {
  if (isRegExp(pattern)) return regularExpression(pattern.slice(1, -1));
  const wildcard = new Wildcard(pattern, { plus: true });
  return (text) => wildcard.matches(text);
}

/** The library is loaded for the first of them: few runs have any. */
function regularExpression(text: string): (text: string) => boolean {
  const { RE2JS, RE2JSException } = createRequire(import.meta.url)('re2js') as typeof import('re2js');
  if (text.length > LONGEST)
    throw new PatternError(`a regular expression has at most ${LONGEST} characters, here ${text.length}`);
  try {
    const compiled = RE2JS.compile(text);
    return (name) => compiled.matcher(name).find();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`no regular expression: ${error.message.replace(/^error parsing regexp: /, '')}`);
  }
}
