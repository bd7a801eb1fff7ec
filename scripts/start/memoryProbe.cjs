/**
 * Takes of the address space what each run takes: memory of WebAssembly, which may be refused, some heap and a second thread.
 * Crashes where a run would. Read where `ulimit -v` sets a limit.
 */

const { Worker } = require('node:worker_threads');

const HEAP_BYTES = 192 * 2 ** 20;

/** @type {object[]} */
const taken = [new ArrayBuffer(HEAP_BYTES)];
try {
  taken.push(new WebAssembly.Memory({ initial: 1024, maximum: 65_536 }));
} catch {
  // Runs do without it then.
}
new Worker('0', { eval: true }).on('exit', () => taken.splice(0));
