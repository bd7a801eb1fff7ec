/**
 * Runs a bundle for a moment and adds to it what V8 has compiled meanwhile.
 *
 *   node scripts/build/warmUp.cjs <bundle> <its later name> <folder for the records of its runs>
 */

const { readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { loadProgram, packProgram } = require('../start/program.cjs');

/** All kinds of requests and services, and a bug, so that the way to a failure is there as well. */
const RUNS = [
  ['+UVM_TESTNAME=test_random', '+DUT_FAULT=payload_dropped', '--seed', '1'],
  ['+UVM_TESTNAME=test_direct_param', '+RC_QP_NUM=2', '+WRITE_WQE_NUM=1', '+READ_WQE_NUM=1', '+SEND_WQE_NUM=1'],
];

/** @param {string} file @param {string} name @param {string} out */
async function warmUp(file, name, out) {
  const { exports: programs, script, text } = loadProgram(file, name);
  const output = ['--quiet', '--out', out];
  for (const run of RUNS) await programs.main([...run, ...output]);
  const [record] = readdirSync(out);
  await programs.main(['--replay', join(out, record, 'run.json'), ...output]);
  writeFileSync(file, packProgram(text, script.createCachedData()));
  process.exitCode = 0;
}

const [file, name, out] = process.argv.slice(2);
warmUp(file, name, out);
