/**
 * Kills what is not a plain regression at random times: a closure, a shrink and a build of a copy of the project. See
 * killTest.mjs, which plays them.
 *
 * Each is done once without disturbance, then begun and killed (`kill -9`) again and again, each time behind a drawn part
 * of the undisturbed time, and in the end brought to its end. What it leaves must then be the same, nothing that is
 * half written may lie beside it, and no process may be left.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { command, orphansOf, played, ROOT } from './victim.mjs';

/** What is not copied, or is made anew. */
const NOT_COPIED = new Set(['node_modules', 'dist', 'out', '.git', '.failures']);
const RUN = [
  'HOST_NUM=2',
  'DB_NUM=1',
  'RC_QP_NUM=4',
  'UC_QP_NUM=0',
  'UD_QP_NUM=0',
  'SEND_WQE_NUM=2',
  'WRITE_WQE_NUM=3',
];
const SHRUNK = 'run/shrunk.yaml';
const LIST =
  'tests: [{ name: small, test: test_random, reseed: 12 }, { name: direct, test: test_direct_param, reseed: 4 }]\n';

/**
 * @typedef {{ folder: string, kills: number, jobs: string, random: () => number }} Trial
 * @typedef {{ killed: number, found: string[] }} Outcome what was killed, and what is wrong
 */

/** A closure, which goes on by `--resume`. @param {Trial} trial @returns {Promise<Outcome>} */
export async function killClosure({ folder, kills, jobs, random }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'list.yaml'), LIST);
  const flags = ['-j', jobs, '-q', '--max-failures', '1'];
  const begin = (/** @type {string} */ out) =>
    command('hca_regress', [
      'run',
      'list.yaml',
      '--until-coverage',
      '45',
      '--generation',
      '16',
      '--out',
      out,
      ...flags,
    ]);
  const calm = await played(begin('calm'), folder);
  const resume = command('hca_regress', ['run', '--resume', 'hit', ...flags]);
  let killed = 0;
  /** @type {string[]} */
  const found = [];
  for (let i = 0; i < kills; i++) {
    const begun = existsSync(join(folder, 'hit', 'closure.json'));
    const { code } = await played(begun ? resume : begin('hit'), folder, random() * calm.ms);
    if (code === null) killed++;
    found.push(...(await orphansOf(folder)).map((pid) => `process ${pid} is left`));
  }
  const { code, text } = await played(existsSync(join(folder, 'hit', 'closure.json')) ? resume : begin('hit'), folder);
  if (code !== calm.code) found.push(`exit code ${code} in place of ${calm.code}: ${text.slice(-300)}`);
  found.push(...closureDifferences(join(folder, 'calm'), join(folder, 'hit')));
  return { killed, found };
}

/** @param {string} calm @param {string} hit */
function closureDifferences(calm, hit) {
  /** @type {string[]} */
  const found = [];
  const [a, b] = [calm, hit].map((out) => closureOf(out));
  if (a !== b) found.push(`closure.json differs: '${a}' and '${b}'`);
  const generations = readdirSync(calm).filter((name) => name.startsWith('generation-'));
  for (const name of generations) {
    const [before, after] = [calm, hit].map((out) => resultsOf(join(out, name, 'runs.jsonl')));
    if (new Set(after).size !== after.length) found.push(`${name}: a run has two results`);
    if (before.sort().join('\n') !== after.sort().join('\n')) found.push(`${name}: results differ`);
  }
  return found;
}

/** @param {string} out */
function closureOf(out) {
  const { end, generations } = JSON.parse(readFileSync(join(out, 'closure.json'), 'utf8'));
  return JSON.stringify([end, generations.map((/** @type {object} */ one) => ({ ...one, wallMs: 0 }))]);
}

/** Each run with its status and its transcript. @param {string} journal */
function resultsOf(journal) {
  const lines = readFileSync(journal, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"result"'));
  return lines
    .map((line) => JSON.parse(line).result)
    .map(({ id, status, transcript }) => `${id} ${status} ${transcript}`);
}

/** The smallest run of a failure, which is looked for anew. @param {Trial} trial @returns {Promise<Outcome>} */
export async function killShrink({ folder, kills, random }) {
  const [calm, hit] = [join(folder, 'calm'), join(folder, 'hit')];
  const run = [
    '+UVM_TESTNAME=test_direct_param',
    ...RUN.map((word) => `+${word}`),
    '+DUT_FAULT=cqe_byte_count',
    '--out',
    '.',
  ];
  for (const here of [calm, hit]) {
    mkdirSync(here, { recursive: true });
    await played(command('hca_test', run), here);
    for (const name of readdirSync(here)) renameSync(join(here, name), join(here, 'run'));
  }
  const shrink = command('hca_test', ['--shrink', 'run/run.json']);
  const undisturbed = await played(shrink, calm);
  let killed = 0;
  /** @type {string[]} */
  const found = [];
  for (let i = 0; i < kills; i++) {
    const { code } = await played(shrink, hit, random() * undisturbed.ms);
    if (code === null) killed++;
    found.push(...(await orphansOf(folder)).map((pid) => `process ${pid} is left`));
    const file = join(hit, SHRUNK);
    if (existsSync(file) && shrunkOf(file) !== shrunkOf(join(calm, SHRUNK))) found.push('shrunk.yaml is torn');
  }
  const { code, text } = await played(shrink, hit);
  if (code !== undisturbed.code) found.push(`exit code ${code} in place of ${undisturbed.code}: ${text.slice(-300)}`);
  const [a, b] = [calm, hit].map((here) => allOf(here).join(' '));
  if (a !== b) found.push(`files: '${a}' and '${b}'`);
  return { killed, found };
}

/** @param {string} file */
function shrunkOf(file) {
  return readFileSync(file, 'utf8');
}

/** @param {string} here */
function allOf(here) {
  return readdirSync(here, { recursive: true, encoding: 'utf8' }).sort();
}

/** A build, behind which the next start builds what is missing. @param {Trial} trial @returns {Promise<Outcome>} */
export async function killBuild({ folder, kills, random }) {
  const copy = join(folder, 'project');
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(ROOT).filter((entry) => !NOT_COPIED.has(entry)))
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const build = [join(copy, 'scripts', 'build', 'bootstrap.mjs'), '--force'];
  const run = [
    join(copy, 'scripts/start/launch.cjs'),
    'hca_test',
    '+UVM_TESTNAME=test_smoke',
    '--seed',
    '1',
    '--out',
    join(folder, 'run'),
  ];
  await played(build, copy);
  // The first build takes longer than those behind it, which have to be hit.
  const { ms } = await played(build, copy);
  const calm = verdictOf(await played(run, folder));
  let killed = 0;
  /** @type {string[]} */
  const found = [];
  for (let i = 0; i < kills; i++) {
    const { code } = await played(build, copy, random() * ms);
    if (code === null) killed++;
    found.push(...(await orphansOf(folder)).map((pid) => `process ${pid} is left`));
    const verdict = verdictOf(await played(run, folder));
    if (verdict !== calm) found.push(`a run behind a killed build: '${verdict}' in place of '${calm}'`);
  }
  await played(build, copy);
  const stale = readdirSync(copy).filter((name) => /\.(lock|tmp)$/.test(name));
  if (stale.length > 0) found.push(`left in the project: ${stale.join(' ')}`);
  rmSync(copy, { recursive: true });
  return { killed, found };
}

/** @param {{ code: number | null, text: string }} ended */
function verdictOf({ code, text }) {
  const transcript = /transcript (\w+)/.exec(text)?.[1];
  return `${code} ${transcript ?? text.slice(-300)}`;
}
