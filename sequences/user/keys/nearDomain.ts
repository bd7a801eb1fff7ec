import type { Pd } from '../../../env/verbs/verbsObjects.ts';
import type { QpSide } from '../qpSide.ts';

/** Domains are allocated until one is near: one in 256 is. */
const TRIES = 5000;

/** A domain whose number agrees with that of a queue pair in the bits of `mask`. */
export function nearDomain({ api, qp }: QpSide, mask: number): Pd {
  for (let i = 0; i < TRIES; i++) {
    const pd = api.allocPd(qp.process);
    if (((pd.pdn ^ qp.pd.pdn) & mask) === 0) return pd;
    api.deallocPd(pd);
  }
  throw new Error(`none of ${TRIES} protection domains is near to ${qp.pd.pdn}`);
}
