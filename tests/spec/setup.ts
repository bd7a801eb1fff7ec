/**
 * Set-up of the project's own specs: the seed and the number of tries of property tests.
 * `FC_SEED=5 npm test` repeats a failing property, `FC_RUNS=10000 npm test` looks harder.
 */

import fc from 'fast-check';

const seed = process.env['FC_SEED'];
const numRuns = Number(process.env['FC_RUNS'] ?? 50);

fc.configureGlobal({ numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) });
