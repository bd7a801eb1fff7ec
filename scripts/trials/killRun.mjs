/**
 * Kills a regression at random points and looks whether anything is lost; a part of killTest.mjs: `killRun.mjs [--runs 2000] [--kills 20]
 * [--seed 1] [--jobs 2] [--keep]`.
 *
 * A list of small runs, some of which fail, is played once without disturbance. Then it is played again while `kill -9` hits
 * the runner or one of its workers, in turn, each time when another drawn number of runs has a result; behind a killed
 * runner the regression goes on by `--resume`. In the end report and JUnit must say what they say of the undisturbed one, but for
 * times, attempts, workers and the host, every run must have exactly one result, and what failed must have its record.
 * Exit code 1 where that is not so.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import seedrandom from 'seedrandom';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LAUNCH = join(ROOT, 'scripts', 'start', 'launch.cjs');
const POLL_MS = 20;
/** One run of so many has a planted bug. */
const FAILING = 50;

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    keep: { type: 'boolean', default: false },
  },
});
const runs = Number(options.runs);
const kills = Number(options.kills);
const random = seedrandom(`kill test ${options.seed}`);

const folder = mkdtempSync(join(tmpdir(), 'kill-test-'));
const list = join(folder, 'small.yaml');
const calm = join(folder, 'calm');
const hit = join(folder, 'hit');
writeFileSync(list, listText());

const began = performance.now();
await ended(regress(['run', list, '--out', calm]));
const calmSeconds = seconds();
const points = Array.from({ length: kills }, () => 1 + Math.floor(random() * (runs - 2))).sort((a, b) => a - b);
let killed = { runner: 0, worker: 0 };
let missed = 0;
let child = regress(['run', list, '--out', hit]);
for (const [i, point] of points.entries()) {
  const target = i % 2 === 0 ? 'runner' : 'worker';
  const pid = await when(child, point, target);
  if (pid === undefined) {
    missed++;
    continue;
  }
  process.kill(pid, 'SIGKILL');
  killed = { ...killed, [target]: killed[target] + 1 };
  console.log(`${target} killed behind ${results(hit).length} of ${runs} results`);
  if (target === 'worker') continue;
  await ended(child);
  child = regress(['run', '--resume', hit]);
}
await ended(child);
const hitSeconds = seconds() - calmSeconds;

const found = differences();
console.log(
  `${runs} runs, ${killed.runner} runners and ${killed.worker} workers killed` +
    `${missed > 0 ? `, ${missed} points came too late` : ''}: ${calmSeconds.toFixed(0)} s without kills, ${hitSeconds.toFixed(0)} s with kills`,
);
for (const line of found.slice(0, 20)) console.log(`DIFFERS ${line}`);
console.log(found.length === 0 ? 'run: the reports are the same' : 'run: the reports differ');
if (options.keep || found.length > 0) console.log(`kept: ${folder}`);
else rmSync(folder, { recursive: true });
process.exitCode = found.length === 0 ? 0 : 1;

function listText() {
  const plusargs =
    '{ HOST_NUM: 2, DB_NUM: 1, RC_QP_NUM: 1, UC_QP_NUM: 0, UD_QP_NUM: 0, WRITE_WQE_NUM: 0, SEND_WQE_NUM: 4, READ_WQE_NUM: 0, DATA_CNT: 10, DATA_UNIT: B';
  const failing = Math.floor(runs / FAILING);
  return [
    'description: Small runs, of which some fail',
    'defaults: { test: test_direct_param }',
    'tests:',
    `  - { name: small, reseed: ${runs - failing}, plusargs: ${plusargs} } }`,
    `  - { name: broken, reseed: ${failing}, plusargs: ${plusargs}, DUT_FAULT: cqe_byte_count } }`,
    '',
  ].join('\n');
}

/** @param {readonly string[]} words */
function regress(words) {
  const args = [LAUNCH, 'hca_regress', ...words, '-j', options.jobs, '-q'];
  const started = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  started.on('exit', () => Object.assign(started, { isOver: true }));
  return started;
}

/** @param {import('node:child_process').ChildProcess} process_ */
async function ended(process_) {
  while (!('isOver' in process_)) await pause();
}

/**
 * Waits until so many runs have a result, then says whom to kill; undefined where the regression is over before.
 * @param {import('node:child_process').ChildProcess} runner @param {number} point @param {string} target
 */
async function when(runner, point, target) {
  for (;;) {
    if ('isOver' in runner) return undefined;
    if (results(hit).length >= point) {
      const workers = target === 'worker' ? childrenOf(runner.pid) : [];
      if (target === 'runner') return runner.pid;
      if (workers.length > 0) return workers[Math.floor(random() * workers.length)];
    }
    await pause();
  }
}

/** @param {number | undefined} pid */
function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Results in the journal so far. @param {string} out @returns {{ id: string, status: string, folder: string }[]} */
function results(out) {
  const path = join(out, 'runs.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{"kind":"result"')).map((line) => JSON.parse(line).result);
}

function differences() {
  /** @type {string[]} */
  const all = [];
  const [a, b] = [calm, hit].map((out) => comparable(readFileSync(join(out, 'report.json'), 'utf8')));
  if (a !== b) all.push(`report.json: ${firstDifference(a, b)}`);
  const [c, d] = [calm, hit].map((out) => junit(readFileSync(join(out, 'junit.xml'), 'utf8')));
  if (c !== d) all.push(`junit.xml: ${firstDifference(c, d)}`);
  const ids = results(hit).map(({ id }) => id);
  if (ids.length !== runs) all.push(`the journal has ${ids.length} results of ${runs} runs`);
  if (new Set(ids).size !== ids.length) all.push('the journal has two results of one run');
  for (const { id, status, folder: kept } of results(hit))
    if (status !== 'passed' && !existsSync(join(kept, 'run.json'))) all.push(`${id}: no record in ${kept}`);
  return all;
}

/** A report without what may differ, fields in the order of their names. @param {string} text */
function comparable(text) {
  const free = new Set(['wallMs', 'attempts', 'worker', 'started', 'command']);
  /** @param {string} _key @param {unknown} value */
  const sorted = (_key, value) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => !free.has(name))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        );
  const shown = JSON.stringify(JSON.parse(text), sorted, 1);
  return shown.replaceAll(hit, '<out>').replaceAll(calm, '<out>');
}

/** @param {string} text */
function junit(text) {
  return text
    .replaceAll(hit, '<out>')
    .replaceAll(calm, '<out>')
    .replaceAll(/ (?:time|timestamp|hostname)="[^"]*"/g, '')
    .replaceAll(/<property name="(?:attempts|worker)" value="[^"]*"\/>\n?/g, '');
}

/** @param {string} a @param {string} b */
function firstDifference(a, b) {
  const [before, after] = [a.split('\n'), b.split('\n')];
  const at = before.findIndex((line, i) => line !== after[i]);
  return `line ${at + 1}: '${before[at]}' and '${after[at]}'`;
}

function seconds() {
  return (performance.now() - began) / 1000;
}

function pause() {
  return new Promise((resolve) => void setTimeout(resolve, POLL_MS));
}
