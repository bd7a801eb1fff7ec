/** Second half of `hca_test` and `hca_regress`: makes sure that the build is there, then runs the program in this process. */

import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BootstrapError, EXIT_INFRASTRUCTURE, ensureReady } from './bootstrap.mjs';

const PROGRAMS = { hca_test: 'dist/bin/hcaTest.js', hca_regress: 'dist/bin/hcaRegress.js' };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name = '', ...argv] = process.argv.slice(2);

try {
  ensureReady({ root });
  // Node 22 and later keep compiled code between starts; Node 20 has no such call.
  module.enableCompileCache?.(join(root, 'node_modules/.cache/rnic-verify'));
  const program = PROGRAMS[name.replace(/\.[a-z]+$/, '')] ?? PROGRAMS.hca_test;
  const { main } = await import(pathToFileURL(join(root, program)).href);
  process.exitCode = await main(argv);
} catch (error) {
  const text = error instanceof BootstrapError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${name}: ${text}\n`);
  process.exitCode = EXIT_INFRASTRUCTURE;
}
