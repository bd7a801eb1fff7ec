/** The folders of NIC kinds below `dut-model`, as their entries say: read as text, by the build and by the check of imports. */

const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * @typedef {object} KindFolder
 * @property {string} folder below `dut-model`
 * @property {string} name value of `+DUT`
 * @property {string | undefined} base folder of the kind that this one builds on
 */

/**
 * By folder.
 * @param {string} root project folder
 * @returns {KindFolder[]}
 * @throws Error when an entry names a base that is no kind
 */
function kindsBelow(root) {
  const kinds = foldersOf(join(root, 'dut-model')).flatMap((folder) => {
    const text = textOf(join(root, 'dut-model', folder, 'entry.ts'));
    return text === undefined
      ? []
      : [{ folder, name: fieldOf(text, 'name') ?? folder, baseName: fieldOf(text, 'base') }];
  });
  return kinds.map(({ folder, name, baseName }) => {
    const base = kinds.find((kind) => kind.name === baseName)?.folder;
    if (baseName !== undefined && base === undefined) {
      const known = kinds.map((kind) => kind.name).join(', ');
      throw new Error(`dut-model/${folder}/entry.ts: base '${baseName}' is no kind of NIC; known: ${known}`);
    }
    return { folder, name, base };
  });
}

/** A field that is written as a literal. @param {string} text @param {string} field */
function fieldOf(text, field) {
  return new RegExp(`^\\s*${field}: '([^']+)',`, 'm').exec(text)?.[1];
}

/** @param {string} path @returns {string[]} */
function foldersOf(path) {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

module.exports = { kindsBelow };
