/** Lets V8 see which names of a bundle never change; moduleConstants.mjs says why. */

import { transform } from 'esbuild';

const TOP_VAR = /^var ([\w$]+) =/gm;

/**
 * Declares as constant what a bundle declares with `var` on its top level and assigns nowhere else.
 * @param {string} text ASCII @returns {Promise<string>}
 */
export async function fixBundle(text) {
  const assigned = await assignedNames(text.replace(TOP_VAR, 'const $1 ='));
  return text.replace(TOP_VAR, (statement, name) => (assigned.has(name) ? statement : `const ${name} =`));
}

/** Constants that are assigned somewhere, which the bundler warns of. @param {string} text */
async function assignedNames(text) {
  const { warnings } = await transform(text, { logLevel: 'silent', logLimit: 0 });
  const places = warnings.filter(({ id }) => id === 'assign-to-constant').map(({ location }) => location);
  return new Set(places.map((at) => at?.lineText.slice(at.column, at.column + at.length)));
}
