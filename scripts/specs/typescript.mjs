/**
 * Lets Node load TypeScript: given as `--import` to every process of the specs.
 *
 * From 22.18 on Node does so by itself. For an older one the types are replaced by blanks as well, so that lines and
 * columns in stack traces are those of the source in every version. Nothing else is changed: a loader that wraps
 * functions to keep their names makes every call that creates a function slower, and a run a third.
 */

import { register } from 'node:module';

if (!process.features['typescript']) register('./typescriptHooks.mjs', import.meta.url);
