// Each file runs in one of as many processes as there are processors, and one more: some specs do little but wait for
// others to end (`--no-parallel` for one process alone).
const { availableParallelism } = require('node:os');

// Mocha would play the files named on the command line besides all others.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.spec.ts'));

module.exports = {
  extension: ['ts'],
  spec: named ? [] : ['tests/spec/**/*.spec.ts'],
  'node-option': ['import=tsx', 'no-experimental-require-module'],
  require: ['./tests/spec/setup.ts'],
  parallel: true,
  jobs: Math.min(availableParallelism() + 1, 8),
  timeout: 120000,
};
