/**
 * Second half of `hca_test` and `hca_regress`: makes sure that the build is there, then runs the program in this process.
 *
 * The usual start finds everything in place and loads one file, the bundle. What is needed only to install and build
 * is loaded when there is something to do.
 */

const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { isInstalled } = require('./installState.cjs');
const { BUNDLE, loadProgram } = require('./program.cjs');
const { isBuilt } = require('./sourceStamp.cjs');

const EXIT_INFRASTRUCTURE = 3;
const PROGRAMS = { hca_test: 'dist/bin/hcaTest.js', hca_regress: 'dist/bin/hcaRegress.js' };

/** @param {string} name @param {readonly string[]} argv */
async function launch(name, argv) {
  const root = dirname(__dirname);
  if (!isInstalled(root, false) || !isBuilt(root)) (await import('./bootstrap.mjs')).ensureReady({ root });
  const program = PROGRAMS[name.replace(/\.[a-z]+$/, '')] ?? PROGRAMS.hca_test;
  const bundled = program === PROGRAMS.hca_test ? loadProgram(join(root, BUNDLE)) : undefined;
  const { main } = bundled ?? (await import(pathToFileURL(join(root, program)).href));
  process.exitCode = await main(argv);
}

const [name = '', ...argv] = process.argv.slice(2);
launch(name, argv).catch((error) => {
  const isPlain = error?.constructor?.name === 'BootstrapError';
  const text = isPlain ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${name}: ${text}\n`);
  process.exitCode = EXIT_INFRASTRUCTURE;
});
