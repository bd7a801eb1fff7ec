/**
 * Compares what the package promises with its API report: `node scripts/package/apiReport.mjs [--write]`.
 *
 * By api-extractor, for each entry point that package.json exports, from the declarations that are packed:
 * `api/report/<entry>.api.md`. Exit code 1 where a promise has changed and the report has not; `--write` writes the
 * reports, whose change a reader of the commit then sees.
 */

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { ensureReady } from '../build/bootstrap.mjs';
import { entryPoints } from '../build/packageNames.mjs';
import { writeDeclarations } from './declarations.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const REPORTS = join(ROOT, 'api/report');
const SCRATCH = join(ROOT, 'dist/.api');

const isWritten = process.argv.includes('--write');
ensureReady({ root: ROOT });
writeDeclarations(ROOT);
mkdirSync(REPORTS, { recursive: true });
const configs = promisedModules().map(([entry, module]) => ({ entry, config: configOf(entry, module) }));
const [{ config: first }] = configs;
// One program for all of them.
const others = configs.map(({ config }) => config.mainEntryPointFilePath);
const compilerState = CompilerState.create(first, { additionalEntryPoints: others });
const changed = configs.filter(({ config }) => !isAsReported(config));
for (const { entry } of changed)
  process.stderr.write(`${entry}: differs from its report; npm run api writes it anew\n`);
process.stdout.write(`api: ${configs.length} entry points, ${changed.length} ${isWritten ? 'written' : 'differ'}\n`);
process.exitCode = changed.length > 0 && !isWritten ? 1 : 0;

/** Entry points by their short names. What `dut` has of the models that ship is not promised. */
function promisedModules() {
  return [...entryPoints(ROOT)].map(([name, module]) => {
    const promised = module === 'dut-model/index' ? 'dut-model/kindParts' : module;
    return /** @type {const} */ ([name.replace(/^.*\//, ''), promised]);
  });
}

/** @param {ExtractorConfig} config */
function isAsReported(config) {
  const { apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild: isWritten,
    messageCallback: (message) => {
      message.handled = message.logLevel !== 'error';
    },
  });
  return !apiReportChanged;
}

/** @param {string} entry @param {string} module path from the project folder without extension */
function configOf(entry, module) {
  return ExtractorConfig.prepare({
    configObject: settings(entry, module),
    packageJsonFullPath: join(ROOT, 'package.json'),
    configObjectFullPath: undefined,
  });
}

/** @param {string} entry @param {string} module */
function settings(entry, module) {
  return {
    projectFolder: ROOT,
    mainEntryPointFilePath: join(ROOT, `dist/${module}.d.ts`),
    compiler: { overrideTsconfig: compilerSettings() },
    apiReport: { enabled: true, reportFileName: `${entry}.api.md`, reportFolder: REPORTS, reportTempFolder: SCRATCH },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: 'none' } },
      // Comments are written for readers of the sources, not in the syntax of TSDoc.
      tsdocMessageReporting: { default: { logLevel: 'none' } },
      extractorMessageReporting: {
        default: { logLevel: 'none' },
        'ae-missing-release-tag': { logLevel: 'warning', addToApiReportFile: true },
      },
    },
  };
}

/** Those of the project, on declarations alone. */
function compilerSettings() {
  return {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      strict: true,
      skipLibCheck: true,
      types: ['node'],
    },
    files: promisedModules().map(([, module]) => `dist/${module}.d.ts`),
  };
}
