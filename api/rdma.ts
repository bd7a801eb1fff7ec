/**
 * `rnic-verify/rdma`: the vocabulary of RDMA as values and names: verbs, headers on the wire, timers.
 *
 *   import { QP_TYPE, WC_STATUS } from 'rnic-verify/rdma';
 *
 * @packageDocumentation
 */

export * from '../rdma/verbs.ts';
export * from '../rdma/bth.ts';
export * from '../rdma/timers.ts';
