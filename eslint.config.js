/** Only what needs types or knowledge of this project; everything else is biome's. */

import tseslint from 'typescript-eslint';
import { noDroppedProc } from './scripts/checks/eslintNoDroppedProc.mjs';
import { oneReader } from './scripts/checks/eslintOneReader.mjs';
import { SOURCE_FOLDERS } from './scripts/start/sourceStamp.cjs';

/** Folders whose code runs inside a simulation: one look at real time or chance there breaks replay. */
const RUN_SIDE = ['agents', 'config', 'coverage', 'dut-model', 'env', 'rdma', 'scoreboard', 'sequences', 'uvm'];

/** Files that read without the reader of `files/`, each with its reason. */
const READ_BY_THEMSELVES = {};

const message = 'Not inside a run: time comes from the scheduler, chance from the random streams of the run.';

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', 'docs/', 'scripts/', '*.js', '*.cjs'] },
  {
    // `my` is where docs/uvm.md has people keep benches of their own.
    files: [...SOURCE_FOLDERS, 'my'].map((folder) => `${folder}/**/*.ts`),
    extends: [tseslint.configs.base],
    plugins: { project: { rules: { 'no-dropped-proc': noDroppedProc, 'one-reader': oneReader } } },
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      'project/no-dropped-proc': 'error',
    },
  },
  {
    files: [...RUN_SIDE.map((folder) => `${folder}/**/*.ts`), 'tests/*.ts'],
    ignores: ['tests/spec/setup.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message },
        { object: 'Date', property: 'now', message },
        { object: 'performance', property: 'now', message },
        { object: 'process', property: 'hrtime', message },
      ],
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].map((name) => ({ name, message })),
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date']", message },
        { selector: "CallExpression[callee.name='Date']", message },
        { selector: 'ImportDeclaration[source.value=/^node:(timers|perf_hooks)/]', message },
      ],
    },
  },
  {
    files: ['agents', 'bin', 'config', 'env', 'regress', 'sequences'].map((folder) => `${folder}/**/*.ts`),
    rules: { 'project/one-reader': ['error', READ_BY_THEMSELVES] },
  },
  {
    // Properties of foreign data and of typed arrays in specs are checked by the specs themselves.
    files: ['tests/spec/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-unnecessary-condition': 'off' },
  },
);
