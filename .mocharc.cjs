// Each file runs in one of as many processes as there are processors, and one more: some specs do little but wait for
// others to end (`--no-parallel` for one process alone).
const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// Mocha would play the files named on the command line besides all others.
const named = process.argv.slice(2).some((argument) => argument.endsWith('.spec.ts'));

module.exports = {
  extension: ['ts'],
  spec: named ? [] : ['tests/spec/**/*.spec.ts'],
  'node-option': [
    `import=${pathToFileURL(join(__dirname, 'scripts/specs/typescript.mjs')).href}`,
    'disable-warning=ExperimentalWarning',
    'no-experimental-require-module',
  ],
  require: ['./tests/spec/setup.ts'],
  parallel: true,
  jobs: Math.min(availableParallelism() + 1, 8),
  // Ends what hangs. What a spec takes depends on what else the machine does, which is no finding.
  timeout: 900_000,
};
