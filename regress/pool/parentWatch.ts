/**
 * Ends a worker process whose runner is gone.
 *
 * A run holds its process, and with it the event loop that would bring the news of a closed channel: a thread looks
 * whose child the process is. An orphan is given to another process by the system, at once.
 */

import { Worker } from 'node:worker_threads';

/** Between two looks (ms). */
const EVERY_MS = 500;

/** In a string: the thread needs no loader, no build and no file of its own. */
const WATCH = `
const { parent, everyMs } = require('node:worker_threads').workerData;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, everyMs);
`;

/**
 * From now on this process ends, whatever it does, within a second of `parent`.
 * @param parent process that has started this one
 */
export function endWithParent(parent: number): void {
  const workerData = { parent, everyMs: EVERY_MS };
  new Worker(WATCH, { eval: true, workerData, execArgv: [] }).unref();
}

/** Not `process.exit`: what a run leaves must not say that it has ended the process. */
export function endAtOnce(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}
