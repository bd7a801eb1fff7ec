/**
 * What a kind of NIC is written with that lives in a folder of its own (`+TEST_PATH`), by the name `rnic-verify/dut`: what an
 * entry is, what a NIC is to the harness, what models share, host software, rules of the judge; and of each kind that ships,
 * under its name, what another kind may build on.
 *
 *   import { hangu, type NicEntry } from 'rnic-verify/dut';
 *
 * What `hangu`, `blue` and `card` hold changes with the models.
 */

/** HanGu: `base: 'hangu'`. */
export * as hangu from './hangu/index.ts';
/** blue-rdma: `base: 'blue'`. */
export * as blue from './blue-rdma/index.ts';
/** The NIC with memory on its card, which builds on HanGu. */
export * as card from './card-memory/index.ts';

export * from './kindParts.ts';
