/**
 * Second half of `hca_test`, `hca_regress` and `hca_perf`: makes sure that the build is there, then runs the program in this process.
 *
 * The usual start finds everything in place and loads one file, the bundle. What is needed only to install and build
 * is loaded when there is something to do.
 */

const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { isInstalled } = require('./installState.cjs');
const { isCompiled, loadPrograms } = require('./program.cjs');
const { hasSources, isBuilt, takesBuildAsItIs } = require('./sourceStamp.cjs');

const EXIT_INFRASTRUCTURE = 3;
/** Exit codes of what a signal has ended. @type {Readonly<Record<string, NodeJS.Signals>>} */
const INTERRUPTS = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' };

/** @param {string} name @param {readonly string[]} argv */
async function launch(name, argv) {
  const root = dirname(dirname(__dirname));
  if (!isReady(root)) (await import('../build/bootstrap.mjs')).ensureReady({ root });
  const main = await programNamed(name, root);
  process.exitCode = await main(argv);
}

/** Whether there is nothing to install, to build or to compile before the program can start. @param {string} root */
function isReady(root) {
  return !hasSources(root) || takesBuildAsItIs(root) || (isInstalled(root) && isBuilt(root) && isCompiled(root));
}

/** @param {string} name @param {string} root */
function programNamed(name, root) {
  if (name.startsWith('hca_regress')) return loadMany(root, 'hcaRegress.js');
  return name.startsWith('hca_perf') ? loadMany(root, 'hcaPerf.js') : loadTest(root);
}

/** @param {string} root */
async function loadTest(root) {
  const programs = loadPrograms(root);
  if (programs === undefined) return load(root, 'hcaTest.js');
  return (argv) => programs.main(argv, { unbundled: () => load(root, 'hcaTest.js') });
}

/** A program that plays many runs on workers. @param {string} root @param {string} file */
async function loadMany(root, file) {
  const main = await load(root, file);
  const playerUrl = pathToFileURL(join(__dirname, 'bundledPlayer.cjs')).href;
  return (argv) => main(argv, { playerUrl });
}

/** @param {string} root @param {string} file */
async function load(root, file) {
  const { main } = await import(pathToFileURL(join(root, 'dist/bin', file)).href);
  return main;
}

const [name = '', ...argv] = process.argv.slice(2);
let isOver = false;

// Whatever ends the process early, such as a process.exit(0) in a module of a test, must not look like success.
process.on('exit', (code) => {
  if (isOver || process.exitCode === EXIT_INFRASTRUCTURE) return;
  process.stderr.write(`${name}: the process ended (exit code ${code}) before there was a verdict\n`);
  process.exitCode = EXIT_INFRASTRUCTURE;
});

// Also promises that nobody waits for: a test may have left them behind.
process.on('uncaughtException', (error) => {
  tell(error);
  process.exit(EXIT_INFRASTRUCTURE);
});

launch(name, argv).then(() => {
  isOver = true;
  endAsInterrupted();
}, tell);

/**
 * A program that a signal has interrupted ends by that signal once it has said everything, so that a shell ends the
 * loop in which it was started, too. Where the signal is ignored, as in the first process of a container, the exit code
 * says the same.
 */
function endAsInterrupted() {
  const signal = INTERRUPTS[String(process.exitCode)];
  if (signal !== undefined) process.kill(process.pid, signal);
}

/** @param {unknown} error */
function tell(error) {
  process.stderr.write(`${name}: ${visible(textOf(error))}\n`);
  process.exitCode = EXIT_INFRASTRUCTURE;
}

/** What is quoted in a message must not do anything on a terminal; as uvm/report/visibleText.ts. @param {string} text */
function visible(text) {
  const hidden = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029\ufeff]/gu;
  return text.replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What the file system refuses, and mistakes in the sources, need no stack. @param {unknown} error */
function textOf(error) {
  if (!(error instanceof Error)) return String(error);
  const isPlain = ['BootstrapError', 'SourceError'].includes(error.constructor.name) || 'syscall' in error;
  const advice =
    'code' in error && error.code === 'EMFILE' ? '; let more files be open: ulimit -n 1024, or fewer workers' : '';
  return isPlain ? `${error.message}${advice}` : error.stack;
}
