/** What a word of a shell script stands for: quotes taken off, variables put in. */

import { substitutionLength } from './shellTokens.ts';

/** The words that one becomes. */
export interface ExpandedWord {
  /** None for an empty variable, several for an unquoted variable with blanks in it. */
  readonly words: readonly string[];
  /** The part whose value cannot be known without a shell, as written. */
  readonly unknown: string | undefined;
}

/**
 * @param raw word as written
 * @param lookUp value of a variable (`NAME`) or of what is between `$(` and `)`; undefined = not known
 */
export function expandWord(raw: string, lookUp: (what: string) => string | undefined): ExpandedWord {
  const out = new Builder();
  let unknown = braces(raw);
  const substitute = (at: number, quoted: boolean): number => {
    const found = substitutionAt(raw, at);
    const value = found.what === '' ? raw.slice(at, at + found.length) : lookUp(found.what);
    if (value === undefined) unknown ??= raw.slice(at, at + found.length);
    else if (quoted || found.what === '') out.add(value);
    else out.split(value);
    return found.length;
  };
  for (let at = 0, quoted = false; at < raw.length; ) {
    const char = raw[at] as string;
    if (char === '"') {
      quoted = !quoted;
      out.add('');
      at++;
    } else if (char === "'" && !quoted) {
      const end = raw.indexOf("'", at + 1);
      out.add(raw.slice(at + 1, end));
      at = end + 1;
    } else if (char === '\\') {
      const next = raw[at + 1] ?? '';
      out.add(quoted && !/["\\$`]/.test(next) ? `\\${next}` : next);
      at += 2;
    } else if (char === '$' || char === '`') at += substitute(at, quoted);
    else {
      out.add(char);
      at++;
    }
  }
  return { words: out.end(), unknown };
}

/** `{a,b}` and `{1..3}` outside quotes become several words in some shells and none in others. */
function braces(raw: string): string | undefined {
  const bare = raw.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}/g, '');
  return /\{[^{}]*(?:,|\.\.)[^{}]*\}/.exec(bare)?.[0];
}

/** `what` is empty for a `$` that means itself. */
function substitutionAt(raw: string, at: number): { what: string; length: number } {
  const name = /^\$([A-Za-z_]\w*|[\d@*#?$!-])/.exec(raw.slice(at));
  if (name !== null) return { what: name[1] as string, length: name[0].length };
  const length = Math.max(1, substitutionLength(raw, at));
  if (length === 1) return { what: '', length };
  const inner = raw.slice(at + (raw[at] === '$' ? 2 : 1), at + length - 1);
  return { what: inner.trim(), length };
}

class Builder {
  readonly #words: string[] = [];
  #word: string | undefined;

  add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  /** Adds a value as an unquoted variable is: blanks end words. */
  split(value: string): void {
    for (const part of value.split(/(\s+)/)) {
      if (/^\s+$/.test(part)) this.#finish();
      else if (part !== '') this.add(part);
    }
  }

  end(): string[] {
    this.#finish();
    return this.#words;
  }

  #finish(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }
}
