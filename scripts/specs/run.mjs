/**
 * `npm test`: plays all specs, says before how long that takes, and afterwards which files cost most.
 *
 *   node scripts/specs/run.mjs [arguments for mocha]
 *
 * Arguments that choose specs are given to mocha as they are; nothing is said of time then.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the last whole run here has taken. */
const LAST = join(ROOT, 'node_modules/.cache/specs-last.json');
/** Processor seconds where nothing has been played yet, on two cores of a server of 2023. */
const USUAL_SECONDS = 400;
const SHOWN = 10;

const argv = process.argv.slice(2);
const isWhole = argv.length === 0;
if (isWhole) process.stdout.write(`${forecast()}\n`);
const folder = mkdtempSync(join(tmpdir(), 'specs-'));
const costs = join(folder, 'costs.jsonl');
writeFileSync(costs, '');
const began = performance.now();
const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
const env = { ...process.env, SPEC_COSTS: costs };
const { status } = spawnSync(process.execPath, [mocha, ...argv], { cwd: ROOT, stdio: 'inherit', env });
const files = readFileSync(costs, 'utf8')
  .trim()
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });
if (isWhole) process.stdout.write(`${summary(files, performance.now() - began)}\n`);
process.exitCode = status ?? 1;

/** Time to wait, by what the specs took the last time. @returns one line */
function forecast() {
  const { seconds, node } = last();
  const wall = seconds / availableParallelism();
  const of = node === undefined ? '' : `, as the last time with Node ${node}`;
  return `specs: about ${Math.round(seconds)} s of processor time${of}; ${minutes(wall)} on ${availableParallelism()} cores with nothing else to do`;
}

/** @returns {{ seconds: number, node?: string }} */
function last() {
  try {
    return JSON.parse(readFileSync(LAST, 'utf8'));
  } catch {
    return { seconds: USUAL_SECONDS };
  }
}

/** @param {{ file: string, ms: number }[]} files @param {number} wallMs */
function summary(files, wallMs) {
  const seconds = files.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  mkdirSync(dirname(LAST), { recursive: true });
  writeFileSync(LAST, JSON.stringify({ seconds, node: process.versions.node }));
  const dearest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
  const rows = dearest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
  const head = `specs: ${Math.round(seconds)} s of processor time in ${files.length} files, ${minutes(wallMs / 1000)}; the ${SHOWN} dearest:`;
  return [head, ...rows].join('\n');
}

/** @param {number} seconds */
function minutes(seconds) {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}
