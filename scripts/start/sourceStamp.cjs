/**
 * Tells whether the build is up to date: one line per source file with its time of change and size. What is built is the
 * same for every version of Node; only the compiled code beside it is not (program.cjs).
 *
 * The whole check is one walk over about 900 files, a tenth of the processor time of a short run. Comparing the lists, not
 * only the newest time, also notices deleted files, added files and files that went back to an older version; times of
 * folders alone would miss a file that is saved in place. Who starts many runs of sources that stand still has the walk
 * left out by `HCA_SKIP_BUILD_CHECK` in the environment: then the build that is there counts. CommonJS, as everything that
 * every start of a launcher runs: it is there some milliseconds sooner.
 */

const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');

/** What the last build was made from. */
const STAMP = 'dist/.stamp';

/** Folders that `tsconfig.build.json` compiles. */
const SOURCE_FOLDERS = [
  'agents',
  'api',
  'bench',
  'bin',
  'config',
  'coverage',
  'dut-model',
  'env',
  'files',
  'rdma',
  'regress',
  'scoreboard',
  'sequences',
  'tests',
  'uvm',
];

/** Specs and their helpers live below `tests` but are not part of the build. */
const NOT_BUILT = new Set(['tests/spec']);
const CONFIGURATION = [
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build/bundle.mjs',
  'scripts/build/codeCache.mjs',
  'scripts/start/program.cjs',
  'scripts/build/warmUp.cjs',
];

/**
 * Whether the environment says that the build and the packages that are there count, whatever sources, packages and
 * version of Node the build was made from, and there are a build and packages.
 * @param {string} root project folder
 */
function takesBuildAsItIs(root) {
  const isAskedFor = isOne(process.env.HCA_SKIP_BUILD_CHECK);
  return isAskedFor && readStamp(root) !== undefined && existsSync(join(root, 'node_modules'));
}

/** A switch in the environment. @param {string | undefined} value */
function isOne(value) {
  return value !== undefined && value !== '' && value !== '0';
}

/**
 * Whether there is anything to build from. The packed form holds the build alone: there is nothing to install, to build
 * or to write.
 * @param {string} root project folder
 */
function hasSources(root) {
  return existsSync(join(root, 'tsconfig.build.json'));
}

/** @param {string} root project folder */
function isBuilt(root) {
  return readStamp(root) === sourceStamp(root);
}

/** @param {string} root @returns {string | undefined} */
function readStamp(root) {
  try {
    return readFileSync(join(root, STAMP), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root project folder
 * @returns {string} one line per fact
 */
function sourceStamp(root) {
  /** @type {string[]} */
  const lines = [];
  for (const file of CONFIGURATION) addFile(root, file, lines);
  for (const folder of SOURCE_FOLDERS) addFolder(root, folder, lines);
  return lines.join('\n');
}

/**
 * Names the first difference between two stamps, for the message before a rebuild.
 * @param {string} before
 * @param {string} after
 */
function firstChange(before, after) {
  const old = new Set(before.split('\n'));
  const changed = after.split('\n').find((line) => !old.has(line));
  if (changed !== undefined) return changed.split('\t')[0];
  const now = new Set(after.split('\n'));
  return before
    .split('\n')
    .find((line) => !now.has(line))
    ?.split('\t')[0];
}

/** The files of a stamp, paths from the project folder. @param {string} stamp */
function filesOf(stamp) {
  return stamp.split('\n').map((line) => line.slice(0, line.indexOf('\t')));
}

/**
 * Sources that are built in one folder, if there is one; paths from `root`.
 * @param {string} root @param {string} folder @param {boolean} deep those of its subfolders too
 */
function builtFiles(root, folder, deep) {
  if (!existsSync(`${root}/${folder}`)) return [];
  const names = readdirSync(`${root}/${folder}`, { recursive: deep, encoding: 'utf8' });
  const paths = names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
  return paths.filter((path) => path.endsWith('.ts') && !NOT_BUILT.has(path)).sort();
}

/** @param {string} root @param {string} folder @param {string[]} lines */
function addFolder(root, folder, lines) {
  let entries;
  try {
    entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (NOT_BUILT.has(path)) continue;
    if (entry.isDirectory()) addFolder(root, path, lines);
    else if (path.endsWith('.ts')) addFile(root, path, lines);
  }
}

/** @param {string} root @param {string} path @param {string[]} lines */
function addFile(root, path, lines) {
  const stat = statSync(`${root}/${path}`, { throwIfNoEntry: false });
  if (stat !== undefined) lines.push(`${path}\t${stat.mtimeMs}\t${stat.size}`);
}

module.exports = {
  SOURCE_FOLDERS,
  STAMP,
  builtFiles,
  filesOf,
  firstChange,
  hasSources,
  isBuilt,
  readStamp,
  sourceStamp,
  takesBuildAsItIs,
};
