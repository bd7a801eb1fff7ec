// Specs run in as many processes as there are processors, each file in one of them (`--no-parallel` for one alone).
const { availableParallelism } = require('node:os');

// Mocha would play the files named on the command line besides all others.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.spec.ts'));

module.exports = {
  extension: ['ts'],
  spec: named ? [] : ['tests/spec/**/*.spec.ts'],
  'node-option': ['import=tsx', 'no-experimental-require-module'],
  require: ['./tests/spec/setup.ts'],
  parallel: true,
  jobs: Math.min(availableParallelism(), 8),
  timeout: 120000,
};
