/** Lets V8 see which names of a bundle never change, and its fields; moduleConstants.mjs and plainFields.mjs say why. */

import { transform } from 'esbuild';
import { fixFunctions } from './moduleConstants.mjs';
import { plainFields } from './plainFields.mjs';

const TOP_VAR = /^var ([\w$]+) =/gm;

/**
 * Declares as constant what a bundle declares with `var` or `function` on its top level and assigns nowhere else, and
 * makes its private fields plain ones.
 * @param {string} text ASCII @returns {Promise<string>}
 */
export async function fixBundle(text) {
  const plain = plainFields(text);
  return withConstants(plain, await assignedNames(withConstants(plain, new Set())));
}

/** The first line is left to the wrapper that the bundler puts around all. @param {string} text @param {ReadonlySet<string>} assigned */
function withConstants(text, assigned) {
  const fixed = text.replace(TOP_VAR, (statement, name) => (assigned.has(name) ? statement : `const ${name} =`));
  const start = fixed.indexOf('\n') + 1;
  return fixed.slice(0, start) + fixFunctions(fixed.slice(start), undefined, assigned);
}

/** Constants that are assigned somewhere, which the bundler warns of. @param {string} text */
async function assignedNames(text) {
  const { warnings } = await transform(text, { logLevel: 'silent', logLimit: 0 });
  const places = warnings.filter(({ id }) => id === 'assign-to-constant').map(({ location }) => location);
  return new Set(places.map((at) => at?.lineText.slice(at.column, at.column + at.length)));
}
