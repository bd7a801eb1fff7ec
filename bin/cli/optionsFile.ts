/** Reads option files (`-f file`) as simulators do: words, quotes, `//` and `#` comments. */

import { readFileSync } from 'node:fs';
import type { Token } from './token.ts';

/** Quoted and plain parts that touch are one word: `+NAME="two words"`. */
const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']|["'])+/g;
const QUOTED = /"((?:[^"\\]|\\.)*)"|'([^']*)'/g;

/**
 * Reads the words of an option file.
 * @throws the error of the file system when it cannot be read
 */
export function readOptionsFile(path: string): Token[] {
  const tokens: Token[] = [];
  readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .forEach((line, index) => {
      for (const text of wordsOf(line)) tokens.push({ text, where: `${path}:${index + 1}` });
    });
  return tokens;
}

/** A comment begins at a word that starts with `//` or `#`, so that `+SERVER=http://x` stays whole. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [whole] of line.matchAll(WORD)) {
    if (whole.startsWith('//') || whole.startsWith('#')) break;
    if (whole !== '\\') words.push(unquote(whole));
  }
  return words;
}

function unquote(word: string): string {
  return word.replace(
    QUOTED,
    (_, double?: string, single?: string) => double?.replace(/\\(["\\])/g, '$1') ?? single ?? '',
  );
}
