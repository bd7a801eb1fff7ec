/**
 * Installs and builds when needed.
 *
 * Used by the launchers when something is missing or out of date (`ensureReady`), and from package scripts:
 *   node scripts/build/bootstrap.mjs [--no-build] [--force]
 * `--no-build` only installs, `--force` builds even if nothing changed. All packages are installed, the compiler and the
 * development tools too: what needs none of them is the packed form (scripts/package). Plain JavaScript, because it runs
 * before there is a compiler.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError } from './bootstrapError.mjs';
import { withLock } from './buildLock.mjs';
import { makeCodeCache } from './codeCache.mjs';
import { isInstalled } from '../start/installState.cjs';
import { Interrupted, npmInstall } from './npmInstall.mjs';
import { writeNicCatalog } from './nicCatalog.mjs';
import { knownFailure, forgetFailure, rememberFailure } from './failedBuild.mjs';
import { isOfLastBuild, listSources, rememberSources } from './sourceList.mjs';
import { isCompiled } from '../start/program.cjs';
import { filesOf, firstChange, isBuilt, readStamp, STAMP, sourceStamp } from '../start/sourceStamp.cjs';
import { typeErrorReport } from './typeErrors.mjs';

/** Exit code of everything that keeps a run from starting and is not the user's command line. */
export const EXIT_INFRASTRUCTURE = 3;

/** The compiler has found mistakes in the sources: as long as they stay what they are, it will find the same ones. */
export class SourceError extends BootstrapError {}

const LOCK = 'dist/.lock';
const OLDEST_NODE = [20, 19];

/**
 * @typedef {object} Options
 * @property {string} root project folder
 * @property {boolean} [build] build after installing; default true
 * @property {boolean} [force] build even if nothing changed
 * @property {(line: string) => void} [say] where the one line about what is being done goes; default standard error
 * @property {(root: string) => void} [install] replaced by specs
 * @property {(root: string) => void} [compile] replaced by specs
 * @property {(root: string) => void} [compileCode] replaced by specs
 */

/** @typedef {Required<Pick<Options, 'root'|'build'|'force'|'say'>> & Options} Prepared */

/**
 * Makes sure that packages are installed and `dist` is up to date.
 * @param {Options} options
 * @throws BootstrapError when Node is too old, npm fails or the sources have type errors
 */
export function ensureReady(options) {
  const { root, build = true, force = false } = options;
  checkNode();
  if (!force && isInstalled(root) && (!build || (isBuilt(root) && isCompiled(root)))) return;
  const say = options.say ?? ((line) => process.stderr.write(`rnic-verify: ${line}\n`));
  const work = () => prepare({ ...options, build, force, say });
  const onWait = (/** @type {string} */ holder) => say(`waiting for the build of process ${holder.split(' ')[0]}`);
  try {
    mkdirSync(join(root, 'dist'), { recursive: true });
    withLock(join(root, LOCK), work, onWait);
  } catch (error) {
    if (error instanceof Interrupted) {
      say(error.message);
      process.kill(process.pid, error.signal);
    } else if (isForbidden(error, root)) standAside(root, force);
    else throw error;
  }
}

/** Whether the tree belongs to somebody else. @param {unknown} error @param {string} root */
function isForbidden(error, root) {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return false;
  const isOurs = [join(root, 'dist'), join(root, LOCK)].includes(String(error.path));
  return isOurs && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code));
}

/** What can be done in a tree that cannot be written: go on if nothing but times has changed. @param {string} root @param {boolean} force */
function standAside(root, force) {
  const installed = isInstalled(root);
  const stamp = sourceStamp(root);
  if (!force && installed && isSameContent(root, stamp)) return;
  const why = installed ? `the build is out of date${reasonOf(root, stamp)}` : 'packages are missing or out of date';
  throw new BootstrapError(
    `${why} and ${join(root, 'dist')} cannot be written; have its owner start ./hca_test, or use a tree of your own`,
  );
}

/** Whether the last build, which has succeeded, was made from what the sources are now. @param {string} root @param {string} stamp */
function isSameContent(root, stamp) {
  const before = readStamp(root);
  return before === stamp || (before !== undefined && isOfLastBuild(root, listSources(root, filesOf(stamp))));
}

/** Under the lock: somebody else may have done it all meanwhile. @param {Prepared} options */
function prepare(options) {
  const { root, build, force, say, install = npmInstall } = options;
  const missing = !isInstalled(root);
  const stale = build && (force || missing || !isBuilt(root));
  if (missing) {
    say(`installing packages${stale ? ', then building' : ''} (once)`);
    install(root);
    // Packages are part of the build.
    rmSync(join(root, STAMP), { force: true });
  }
  if (stale) rebuild(options, missing);
  if (build && !isCompiled(root)) addCompiledCode(options);
}

/** @param {Prepared} options @param {boolean} missing packages were installed just now */
function rebuild({ root, force, say, compile = compileAll }, missing) {
  writeNicCatalog(root);
  const stamp = sourceStamp(root);
  if (!force && !missing && isSameContent(root, stamp)) {
    writeFileSync(join(root, STAMP), stamp);
    return;
  }
  if (!force && !missing) refuseKnownFailure(root, stamp);
  if (!missing) say(`building${reasonOf(root, stamp)}`);
  rmSync(join(root, STAMP), { force: true });
  const sources = listSources(root, filesOf(stamp));
  compileOrRemember(root, stamp, compile);
  removeOrphans(root, 'dist');
  rememberSources(root, sources);
  writeFileSync(join(root, STAMP), stamp);
}

/** For a version of Node that has not run in this tree since it was built. @param {Prepared} options */
function addCompiledCode({ root, say, compileCode = makeCodeCache }) {
  say(`preparing the build for Node ${process.version} (once)`);
  compileCode(root);
}

/** Shows the mistakes of the last build at once when nothing has changed since. @param {string} root @param {string} stamp */
function refuseKnownFailure(root, stamp) {
  const text = knownFailure(root, stamp);
  if (text !== undefined) throw new SourceError(text);
}

/** @param {string} root @param {string} stamp @param {(root: string) => void} compile */
function compileOrRemember(root, stamp, compile) {
  try {
    compile(root);
  } catch (error) {
    if (error instanceof SourceError) rememberFailure(root, stamp, error.message);
    throw error;
  }
  forgetFailure(root);
}

/** @param {string} root @param {string} stamp */
function reasonOf(root, stamp) {
  const before = readStamp(root);
  const file = before === undefined ? undefined : firstChange(before, stamp);
  return file === undefined ? '' : ` (${file} changed)`;
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = OLDEST_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new BootstrapError(`Node ${process.versions.node} is too old; install Node ${OLDEST_NODE.join('.')} or later`);
}

/** What to do about mistakes in the sources: all of them are built, whatever is to be run. */
const ADVICE =
  'Nothing was run. All tests and sequences of this tree are built together: mend the files and start again, or move ' +
  'those that are not ready into a folder for +TEST_PATH. npm run typecheck shows everything.';

/** @param {string} root */
function compileAll(root) {
  runTsc(root);
  const bundle = join(root, 'scripts/build/bundle.mjs');
  const result = spawnSync(process.execPath, [bundle], { cwd: root, encoding: 'utf8' });
  // Without the bundle everything works, only slower.
  if (result.status !== 0) process.stderr.write(`rnic-verify: no bundle, so starts are slow:\n${result.stderr}`);
}

/** @param {string} root */
function runTsc(root) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--pretty', 'false'];
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return;
  if (result.error !== undefined || result.signal !== null)
    throw new BootstrapError(
      `the build failed; ${result.error?.message ?? `the compiler was ended by ${result.signal}`}`,
    );
  throw new SourceError(`${typeErrorReport(`${result.stdout}${result.stderr}`)}\n${ADVICE}`);
}

/** Removes compiled files whose source is gone: tests and sequences are found by listing `dist`. @param {string} root @param {string} folder */
function removeOrphans(root, folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) removeOrphans(root, path);
    else if (path.endsWith('.js') && !exists(root, sourceOf(path))) unlinkSync(join(root, path));
  }
}

/** @param {string} compiled */
function sourceOf(compiled) {
  return compiled.slice('dist/'.length, -'.js'.length).concat('.ts');
}

/** @param {string} root @param {string} file */
function exists(root, file) {
  return statSync(join(root, file), { throwIfNoEntry: false }) !== undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = process.argv.slice(2);
  try {
    ensureReady({
      root: dirname(dirname(dirname(fileURLToPath(import.meta.url)))),
      build: !flags.includes('--no-build'),
      force: flags.includes('--force'),
    });
  } catch (error) {
    if (!(error instanceof BootstrapError)) throw error;
    process.stderr.write(`rnic-verify: ${error.message}\n`);
    process.exitCode = EXIT_INFRASTRUCTURE;
  }
}
