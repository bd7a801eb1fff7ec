/**
 * Reads option files (`-f file`) as simulators do: words, quotes, comments from `//` or `#` to the end of the line and
 * between `/*` and its end, variables of the environment, and a `\` at the end of a line, which means nothing.
 */

import { readInputText } from '../../files/inputFile.ts';
import type { Token } from './token.ts';

export interface OptionsFile {
  readonly tokens: readonly Token[];
  /** One message per quote or comment that is not closed and per variable that is not set. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Parts that touch are one word: `+NAME="two words"`. */
const DOUBLE = /"((?:[^"\\]|\\.)*)"/y;
const SINGLE = /'([^']*)'/y;
const PLAIN = /[^\s"']+/y;
const BLANK = /\s*/y;
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/**
 * Reads the words of an option file.
 * @throws the error of the file system when it cannot be read
 */
export function readOptionsFile(path: string, env: Environment = process.env): OptionsFile {
  const reader = new Reader(path, env);
  const lines = readInputText(path).split(/\r?\n/);
  for (const [index, line] of lines.entries()) reader.line(line, index + 1);
  reader.end();
  return reader;
}

class Reader {
  readonly tokens: Token[] = [];
  readonly problems: string[] = [];
  readonly #path: string;
  readonly #env: Environment;
  #where = '';
  /** Where the comment began that goes on over several lines. */
  #comment: string | undefined;

  constructor(path: string, env: Environment) {
    this.#path = path;
    this.#env = env;
  }

  /** A comment begins at a word that starts with it, so that `+SERVER=http://x` stays whole. */
  line(text: string, number: number): void {
    this.#where = `${this.#path}:${number}`;
    for (let at = this.#skip(text, 0); at < text.length; at = this.#skip(text, at)) {
      if (text.startsWith('//', at) || text[at] === '#') return;
      at = this.#word(text, at);
    }
  }

  end(): void {
    if (this.#comment !== undefined) this.problems.push(`${this.#comment}: the comment /* is not closed; add */`);
  }

  /** Goes over blanks and comments between words. */
  #skip(text: string, start: number): number {
    let at = start;
    for (;;) {
      if (this.#comment !== undefined) {
        const end = text.indexOf('*/', at);
        if (end < 0) return text.length;
        this.#comment = undefined;
        at = end + 2;
      }
      at += matchAt(BLANK, text, at)?.[0].length ?? 0;
      if (!text.startsWith('/*', at)) return at;
      this.#comment = this.#where;
      at += 2;
    }
  }

  /** @returns where the word ends; the end of the line when it is spoilt */
  #word(text: string, start: number): number {
    let word = '';
    let at = start;
    while (at < text.length && !/\s/.test(text[at] as string)) {
      const double = matchAt(DOUBLE, text, at);
      const single = matchAt(SINGLE, text, at);
      const plain = matchAt(PLAIN, text, at);
      const part = double ?? single ?? plain;
      if (part === null) {
        this.problems.push(
          `${this.#where}: the quote ${text[at]} is not closed on this line; close it: ${text.trim()}`,
        );
        return text.length;
      }
      at += part[0].length;
      if (double !== null) word += this.#expand((double[1] as string).replace(/\\(["\\])/g, '$1'));
      else if (single !== null) word += single[1];
      else word += this.#expand(at === text.length ? part[0].replace(/\\$/, '') : part[0]);
    }
    if (word !== '' || /["']/.test(text.slice(start, at))) this.tokens.push({ text: word, where: this.#where });
    return at;
  }

  #expand(text: string): string {
    return text.replace(VARIABLE, (whole, bare?: string, braced?: string) => {
      const name = bare ?? braced ?? '';
      const value = this.#env[name];
      if (value !== undefined) return value;
      const advice = `set it, or write '${whole}' in single quotes to keep it as it is`;
      this.problems.push(`${this.#where}: ${whole}: the environment has no variable ${name}; ${advice}`);
      return whole;
    });
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
