/**
 * The thread that takes signals while a run holds the main one (bin/run/limits/interrupts.ts).
 *
 * Node hands signals to handlers of the main thread only. What is below `process.on` belongs to the event loop of
 * whoever starts it, but has no public name: the thread is started with `--expose-internals`. Where a version of Node
 * has it elsewhere the thread ends, and signals end the process as they do without it.
 */

const { workerData } = require('node:worker_threads');

/** @type {{ words: Int32Array<SharedArrayBuffer>, signals: number[], patienceMs: number }} */
const { words, signals, patienceMs } = workerData;
const [SIGNAL, SEEN] = [0, 1];
const INTERRUPT = 'SIGINT';
const INTERNALS = 'internal/test/binding';

// By a name in a variable, for it is no package that could be installed.
const { internalBinding } = require(INTERNALS);
const { Signal } = internalBinding('signal_wrap');
for (const number of signals) {
  const watch = new Signal();
  watch.onsignal = () => take(number);
  watch.start(number);
}

/** @param {number} number */
function take(number) {
  if (Atomics.compareExchange(words, SIGNAL, 0, number) !== 0) return;
  setTimeout(() => {
    // A loop that never waits: whoever called it off wants it broken off.
    if (Atomics.load(words, SEEN) === 0) process.kill(process.pid, INTERRUPT);
  }, patienceMs);
}
