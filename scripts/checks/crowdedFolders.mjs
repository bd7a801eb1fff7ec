/** Folders with more files than anybody reads at a glance. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a folder at most. */
const MOST = 25;
/** Specs lie by subject, and the judge is cut by its own rules. */
const EXEMPT = /^(tests\/spec|scoreboard)(\/|$)/;

/**
 * @param {string} root @param {readonly string[]} folders that are looked at, with those below them
 * @returns {string[]} one line for each that has too many
 */
export function crowdedFolders(root, folders) {
  return folders.flatMap((folder) => crowdedBelow(root, folder));
}

/** @param {string} root @param {string} folder @returns {string[]} */
function crowdedBelow(root, folder) {
  if (EXEMPT.test(folder)) return [];
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  const files = entries.filter((entry) => entry.isFile()).length;
  const below = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  const here = files > MOST ? [`${folder} has ${files} files; a folder has ${MOST} at most: give subjects rooms`] : [];
  return [...here, ...below.flatMap(({ name }) => crowdedBelow(root, `${folder}/${name}`))];
}
