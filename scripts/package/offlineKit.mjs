/**
 * Makes a folder from which the package is installed where there is no network: `node scripts/package/offlineKit.mjs <folder>`.
 *
 *   npm pack of the project, and of each package that it needs here -> <folder>/tarballs -> package.json, package-lock.json
 *
 * In it, or in a copy of it, `npm ci --offline` installs without asking anybody. What is packed is what is installed in this
 * checkout, binaries for this platform alone.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const TARBALLS = 'tarballs';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node scripts/package/offlineKit.mjs <folder>\n');
  process.exitCode = 2;
} else makeKit(resolve(folder));

/** @param {string} kit */
function makeKit(kit) {
  mkdirSync(join(kit, TARBALLS), { recursive: true });
  const needed = runTimePackages();
  const here = needed.filter(([path]) => existsSync(join(ROOT, path))).map(([path]) => path);
  const [own] = pack(kit, ['.']);
  const packed = pack(
    kit,
    here.map((path) => `./${path}`),
    '--ignore-scripts',
  );
  const fileOf = new Map(here.map((path, i) => [path, `file:${TARBALLS}/${packed[i].filename}`]));
  const { name, version, dependencies, bin, engines } = readJson(join(ROOT, 'package.json'));
  const wanted = { [name]: `file:${TARBALLS}/${own.filename}` };
  const itself = { version, resolved: wanted[name], dependencies, bin, engines };
  const locked = needed.map(([path, { integrity, ...entry }]) => [path, { ...entry, resolved: fileOf.get(path) }]);
  const packages = { '': { dependencies: wanted }, [`node_modules/${name}`]: itself, ...Object.fromEntries(locked) };
  write(join(kit, 'package.json'), { private: true, type: 'module', dependencies: wanted });
  write(join(kit, 'package-lock.json'), { lockfileVersion: 3, requires: true, packages });
  process.stdout.write(`${kit}: ${name} ${version} and ${here.length} packages; install with: npm ci --offline\n`);
}

/** @typedef {[path: string, entry: { dev?: boolean, integrity?: string }]} Locked by the place in `node_modules` */

/** Those of other platforms too, which the lock file of the folder must name. @returns {Locked[]} */
function runTimePackages() {
  const all = Object.entries(readJson(join(ROOT, 'package-lock.json')).packages);
  return all.filter(([path, { dev }]) => path !== '' && dev !== true);
}

/** @param {string} kit @param {readonly string[]} specs @param {readonly string[]} flags @returns {{ filename: string }[]} in their order */
function pack(kit, specs, ...flags) {
  const args = ['pack', ...specs, '--json', '--silent', '--pack-destination', join(kit, TARBALLS), ...flags];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 27 });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} file @param {object} value */
function write(file, value) {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
