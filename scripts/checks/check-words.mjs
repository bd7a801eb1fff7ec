/**
 * Fails when what people read has more of the words of `words.mjs` than the baseline allows:
 * `node scripts/checks/check-words.mjs [--lower] [--root folder]`.
 *
 * Read are README.md, the pages of `docs`, and in sources every string of two words or more: help, messages and log
 * texts are such strings. Code in pages, and names with `_`, are not text. `words.baseline.json` has the hits of each
 * file and pattern that may still stand; `--lower` writes those that are left, and refuses where a pattern would have
 * more in all. A file that was moved keeps what its former path was allowed.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { SOURCE_FOLDERS } from '../start/sourceStamp.cjs';
import { WORDS } from './words.mjs';

const BASELINE = 'scripts/checks/words.baseline.json';
const MOST_WORDS = 40;
const PATTERNS = Object.keys(WORDS).map((text) => ({ text, pattern: wholeWords(text) }));

/** @typedef {Record<string, Record<string, number>>} Counts hits by file and pattern */
/** @typedef {{ text: string, line: number }} Piece text for people, and the line on which it begins */
/** @typedef {{ file: string, line: number, text: string, word: string }} Hit */

const require = createRequire(import.meta.url);
const here = join(import.meta.dirname, '../..');
const { values: options } = parseArgs({
  options: { root: { type: 'string', default: here }, lower: { type: 'boolean', default: false } },
});
process.exitCode = main(options.root);

/** @param {string} root @returns {number} exit code */
function main(root) {
  if (PATTERNS.length > MOST_WORDS) throw new Error(`words.mjs has more than ${MOST_WORDS} words`);
  const hits = filesOf(root).flatMap((file) => hitsOf(root, file));
  const counts = countsOf(hits);
  const baseline = readBaseline(root);
  if (options.lower) return lower(root, baseline, counts);
  const allowed = movedTo(root, baseline, counts);
  const problems = problemsOf(hits, counts, allowed);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const [before, now] = [sum(baseline), sum(counts)];
  if (now < before)
    process.stdout.write(
      `words: lower the baseline: node scripts/checks/check-words.mjs --lower (${before} to ${now})\n`,
    );
  process.stdout.write(`words: ${now} of the baseline left, ${problems.length} problems\n`);
  return problems.length > 0 ? 1 : 0;
}

/** @param {string} text */
function wholeWords(text) {
  return new RegExp(`(?<![\\w-])(?:${text.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gi');
}

/** Paths from the root, sorted. @param {string} root */
function filesOf(root) {
  const found = ['docs', 'scripts', ...SOURCE_FOLDERS].flatMap((folder) => {
    if (!existsSync(join(root, folder))) return [];
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
  });
  const read = found.filter((file) => (file.startsWith('docs/') ? /\.md$/ : /\.(ts|mjs|cjs)$/).test(file));
  const left = [/^tests\/spec\//, /checks\/words\.mjs$/, /\/node_modules\//, /^scripts\/site\/pages\//];
  const files = read.filter((file) => !left.some((pattern) => pattern.test(file)));
  return ['README.md', ...files].sort();
}

/** @param {string} root @param {string} file @returns {Hit[]} */
function hitsOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  // Most files have none of the words, not even in comments and names: these need no parser.
  const present = PATTERNS.filter(({ pattern }) => text.search(pattern) >= 0);
  if (present.length === 0) return [];
  const pieces = file.endsWith('.md') ? [proseOf(text)] : stringsOf(file, text);
  return pieces.flatMap((piece) =>
    present.flatMap(({ text: word, pattern }) =>
      [...piece.text.matchAll(pattern)].map(({ 0: found, index }) => ({
        file,
        line: piece.line + linesIn(piece.text.slice(0, index)),
        text: found.replaceAll(/\s+/g, ' '),
        word,
      })),
    ),
  );
}

/** A page without its code, line by line as it was. @param {string} text @returns {Piece} */
function proseOf(text) {
  const blank = (/** @type {string} */ code) => code.replaceAll(/[^\n]/g, '_');
  return { text: text.replaceAll(/^```[\s\S]*?^```/gm, blank).replaceAll(/`[^`\n]*`/g, blank), line: 1 };
}

/** @param {string} file @param {string} text @returns {Piece[]} */
function stringsOf(file, text) {
  // Not imported: loading it takes longer than a look at pages alone.
  const ts = require('typescript');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  /** @type {Piece[]} */
  const pieces = [];
  const visit = (/** @type {import('typescript').Node} */ node) => {
    const isPart = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isPart && /\S\s+\S|^\s|\s$/.test(node.text)) {
      const start = ts.skipTrivia(text, node.pos);
      pieces.push({ text: node.text, line: source.getLineAndCharacterOfPosition(start).line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return pieces;
}

/** @param {string} text */
function linesIn(text) {
  return text.split('\n').length - 1;
}

/** @param {Hit[]} hits @returns {Counts} */
function countsOf(hits) {
  /** @type {Counts} */
  const counts = {};
  for (const { file, word } of hits) {
    counts[file] ??= {};
    counts[file][word] = (counts[file][word] ?? 0) + 1;
  }
  return counts;
}

/** @param {string} root @returns {Counts} */
function readBaseline(root) {
  const file = join(root, BASELINE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** The baseline, with the entries of moved files under their new paths. @param {string} root @param {Counts} baseline @param {Counts} counts @returns {Counts} */
function movedTo(root, baseline, counts) {
  const missing = Object.keys(baseline).filter((file) => !existsSync(join(root, file)));
  const entries = Object.keys(counts).map((file) => {
    const former = file in baseline ? file : missing.find((old) => basename(old) === basename(file));
    return [file, baseline[former ?? ''] ?? {}];
  });
  return Object.fromEntries(entries);
}

/** @param {Hit[]} hits @param {Counts} counts @param {Counts} allowed */
function problemsOf(hits, counts, allowed) {
  return hits
    .filter(({ file, word }) => (counts[file]?.[word] ?? 0) > (allowed[file]?.[word] ?? 0))
    .map(({ file, line, text, word }) => {
      const [found, most] = [counts[file]?.[word], allowed[file]?.[word] ?? 0];
      return `${file}:${line}: "${text}": write "${WORDS[word]}" (${found} in this file, ${most} allowed)`;
    });
}

/** Writes what is left. @param {string} root @param {Counts} baseline @param {Counts} counts @returns {number} exit code */
function lower(root, baseline, counts) {
  const [before, now] = [totalsOf(baseline), totalsOf(counts)];
  const risen = Object.keys(now).filter((word) => (now[word] ?? 0) > (before[word] ?? 0));
  if (existsSync(join(root, BASELINE)) && risen.length > 0) {
    process.stderr.write(`words: the baseline only shrinks; more than before: ${risen.join(', ')}\n`);
    return 1;
  }
  writeFileSync(join(root, BASELINE), `${JSON.stringify(counts, null, 2)}\n`);
  return 0;
}

/** @param {Counts} counts @returns {Record<string, number>} hits by pattern */
function totalsOf(counts) {
  /** @type {Record<string, number>} */
  const totals = {};
  for (const own of Object.values(counts))
    for (const [word, count] of Object.entries(own)) totals[word] = (totals[word] ?? 0) + count;
  return totals;
}

/** @param {Counts} counts */
function sum(counts) {
  return Object.values(totalsOf(counts)).reduce((all, count) => all + count, 0);
}
