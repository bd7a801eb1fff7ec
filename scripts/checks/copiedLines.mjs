/** Lines that kinds of NIC have in common: what several need is in `dut-model/roce`, or is imported from the base of a kind. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Equal lines in a row from which on they are a copy. */
const MOST = 40;
const KINDS = 'dut-model';

/**
 * @param {string} root @param {readonly string[]} folders that are compared with those of the kinds
 * @returns {string[]} a line for each file of a kind that has so many lines in a row of a file outside of its folder
 */
export function copiedLines(root, folders) {
  const files = folders.flatMap((folder) => sourcesBelow(root, folder)).map((path) => sourceOf(root, path));
  /** @type {Map<string, { kind: string, path: string, line: number }[]>} */
  const places = new Map();
  for (const { path, kind, lines } of files)
    for (const { key, line } of runsOf(lines)) places.set(key, [...(places.get(key) ?? []), { kind, path, line }]);
  const found = new Map();
  for (const same of places.values()) {
    const ofKind = same.find(({ kind }) => kind !== '');
    const other = ofKind && same.find(({ kind }) => kind !== ofKind.kind);
    if (ofKind === undefined || other === undefined || found.has(ofKind.path + other.path)) continue;
    const text = `${ofKind.path}:${ofKind.line} has ${MOST} lines of ${other.path}:${other.line}`;
    found.set(ofKind.path + other.path, text);
  }
  return [...found.values()];
}

/** @param {string} root @param {string} path */
function sourceOf(root, path) {
  const [room, kind = ''] = path.split('/');
  const isKind = room === KINDS && !kind.endsWith('.ts') && kind !== 'roce';
  return { path, kind: isKind ? kind : '', lines: readFileSync(join(root, path), 'utf8').split('\n') };
}

/** @param {readonly string[]} lines @returns {{ key: string, line: number }[]} runs of lines that say something */
function runsOf(lines) {
  const said = lines.map((text, i) => ({ text: text.trim(), line: i + 1 })).filter(({ text }) => text !== '');
  const runs = [];
  for (let i = 0; i + MOST <= said.length; i++) {
    const run = said.slice(i, i + MOST);
    runs.push({ key: run.map(({ text }) => text).join('\n'), line: run[0]?.line ?? 0 });
  }
  return runs;
}

/** @param {string} root @param {string} folder @returns {string[]} */
function sourcesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourcesBelow(root, path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}
