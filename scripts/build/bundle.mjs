/**
 * Packs `hca_test` and the player of regression workers, with everything that a run needs, into one file that starts
 * fast (see program.cjs).
 *
 *   sources -> esbuild -> text and source map -> code cache of this version of Node (codeCache.mjs)
 *
 * Runs after the compiler has found no error. Tests and sequences are taken in by their folders, as the registry does.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { FOUND_FOLDERS } from '../../dist/bin/registry.js';
import { BUNDLE, packProgram } from '../start/program.cjs';
import { builtFiles } from '../start/sourceStamp.cjs';
import { forgetCodeCaches, makeCodeCache } from './codeCache.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const bundle = join(root, BUNDLE);
/** What `import.meta.url` is in the bundle, so that paths relative to a module of `bin` stay right. */
const URL_NAME = '__bundleUrl';

forgetCodeCaches(root);
const { text, map } = await makeText();
const temporary = `${bundle}.new`;
writeFileSync(temporary, packProgram(text, new Uint8Array(0)));
writeFileSync(`${bundle}.map`, map);
renameSync(temporary, bundle);
makeCodeCache(root);

async function makeText() {
  const { outputFiles } = await build({
    stdin: { contents: entryText(), resolveDir: root, sourcefile: 'bundle-entry.js' },
    bundle: true,
    write: false,
    outfile: bundle,
    sourcemap: 'linked',
    sourcesContent: false,
    platform: 'node',
    format: 'cjs',
    target: 'es2023',
    charset: 'ascii',
    keepNames: false,
    // Needed for help and tables only; they look for files next to their own. V8 loses the way to import() something
    // when it takes a script out of a cache; require() does the same in every version of Node that is allowed.
    external: ['yargs', 'cli-table3'],
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': URL_NAME },
    banner: {
      js: `(function (module, exports, require, __filename) { const ${URL_NAME} = require('node:url').pathToFileURL(__filename).href;`,
    },
    footer: { js: '})' },
    logLevel: 'error',
  });
  const [mapFile, textFile] = outputFiles[0].path.endsWith('.map') ? outputFiles : outputFiles.toReversed();
  return { text: textFile.text, map: mapFile.text };
}

/** `hca_test` and the player, with the registry filled in. */
function entryText() {
  const found = FOUND_FOLDERS.flatMap(({ folder, deep }) =>
    byName(builtFiles(root, folder, deep)).map((file) => ({ folder, file, name: file.slice(folder.length + 1, -3) })),
  );
  const imports = found.map(({ file }, i) => `import * as found${i} from './${file}';`);
  const modules = found.map(({ folder, name }, i) => `{ folder: '${folder}', name: '${name}', exports: found${i} }`);
  return `
import * as hcaTest from './bin/hcaTest.ts';
import { playerOf } from './bin/player.ts';
import { registryOf } from './bin/registry.ts';
${imports.join('\n')}
const registry = () => registryOf([${modules.join(', ')}]);
export const main = (argv, options) => hcaTest.main(argv, { registry: registry(), ...options });
export const createPlayer = async (settings, host) => playerOf(registry(), settings, host);
`;
}

/** In the order of the registry. @param {string[]} files */
function byName(files) {
  const key = (/** @type {string} */ file) => `${basename(file)}\0${file}`;
  return files.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
