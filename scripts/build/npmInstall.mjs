/** Installs packages with npm, and outlives an interruption until npm has tidied up. */

import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { BootstrapError } from './bootstrapError.mjs';

/** Sent to the whole foreground group by a terminal, or to the launcher alone by a CI system. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** What shells add to the number of the signal that ended a program. */
const SIGNAL_EXIT = 128;
/** What is left of an installation that died may stand in the way of the next one, once. */
const LEFTOVERS = /\b(ENOTEMPTY|ENOENT|EEXIST)\b/;

/** The user has ended the installation; whoever catches this gives back what it holds and ends by `signal`. */
export class Interrupted extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`the installation was ended by ${signal}; the next start begins it again`);
    this.signal = signal;
  }
}

/**
 * Installs what `package-lock.json` names.
 *
 * Signals do not end this process while npm goes on: npm removes what it has begun, and a start that took over the lock
 * meanwhile would meet it there.
 * @param {string} root project folder
 * @throws BootstrapError when npm fails
 * @throws Interrupted when a signal has ended npm
 */
export function npmInstall(root) {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Node looks at signals only when npm has ended; if npm has installed everything all the same, the process ends then.
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    ignoreNoLonger();
    process.kill(process.pid, signal);
  };
  const ignoreNoLonger = () => {
    for (const signal of SIGNALS) process.removeListener(signal, end);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const result = runTwice(root, args);
  if (result.why === undefined) {
    setImmediate(() => setImmediate(ignoreNoLonger));
    return;
  }
  ignoreNoLonger();
  if (result.signal !== undefined) throw new Interrupted(result.signal);
  throw new BootstrapError(`"npm ${args.join(' ')}" failed in ${root}:\n${result.why}`);
}

/** @typedef {{ why?: string, signal?: NodeJS.Signals }} Result `why` is undefined after success */

/** @param {string} root @param {string[]} args @returns {Result} */
function runTwice(root, args) {
  const first = run(root, args);
  const again = first.why !== undefined && first.signal === undefined && LEFTOVERS.test(first.why);
  return again ? run(root, args) : first;
}

/** @param {string} root @param {string[]} args @returns {Result} */
function run(root, args) {
  const result = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return {};
  const why = result.error === undefined ? `${result.stdout}${result.stderr}`.trim() : result.error.message;
  const signal = SIGNALS.find((name) => isEndedBy(name, result, why));
  return signal === undefined ? { why } : { why, signal };
}

/** npm that has time to tidy up says so and ends with a code of its own. @param {NodeJS.Signals} name @param {{ signal: NodeJS.Signals | null, status: number | null }} result @param {string} said */
function isEndedBy(name, { signal, status }, said) {
  const isCode = status === SIGNAL_EXIT + constants.signals[name];
  return signal === name || isCode || said.includes(`npm error signal ${name}`);
}
