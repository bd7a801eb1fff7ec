/**
 * Finds where a text stops being JSON. `JSON.parse` says it in words that change between engines, and often without a
 * position; and a YAML parser, which keeps positions, takes much that JSON does not.
 */

import { MOST_LEVELS, TOO_DEEP } from '../../../files/plainData.ts';

/** The first mistake: its place in the text, counted from 0, and what would be right. */
export interface JsonMistake {
  readonly at: number;
  readonly message: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Characters from the blank on, apart from the quote and the backslash, or an escape. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
/** What a reader sees of the text at a mistake. */
const SHOWN = /[\w.+-]+|./y;

/** The first mistake of a text, or null when it is JSON. */
export function findJsonMistake(text: string): JsonMistake | null {
  const reader = new Reader(text);
  try {
    reader.value();
    reader.end();
    return null;
  } catch (error) {
    if (error instanceof Mistake) return { at: error.at, message: error.message };
    throw error;
  }
}

class Mistake extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  #level = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): void {
    this.#level++;
    if (this.#level > MOST_LEVELS) throw new Mistake(this.#at, TOO_DEEP);
    if (this.#take('{')) this.#members();
    else if (this.#take('[')) this.#elements();
    else if (!this.#match(STRING) && !this.#match(NUMBER) && !this.#match(WORD)) this.#expected('a value');
    this.#level--;
  }

  end(): void {
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#expected('the end of the file');
  }

  #members(): void {
    if (this.#take('}')) return;
    do {
      this.#match(SPACE);
      if (!this.#match(STRING)) this.#expected('a name in double quotes');
      if (!this.#take(':')) this.#expected('":"');
      this.value();
    } while (this.#take(','));
    if (!this.#take('}')) this.#expected('"," or "}"');
  }

  #elements(): void {
    if (this.#take(']')) return;
    do this.value();
    while (this.#take(','));
    if (!this.#take(']')) this.#expected('"," or "]"');
  }

  #take(character: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #expected(what: string): never {
    SHOWN.lastIndex = this.#at;
    const found = SHOWN.exec(this.#text)?.[0];
    throw new Mistake(this.#at, `${what} is expected, not ${found === undefined ? 'the end of the file' : found}`);
  }
}
