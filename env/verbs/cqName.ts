import type { Cq, Qp } from './verbsObjects.ts';

/** Queue pairs that are named of a queue that many share. */
const SHOWN = 4;

/**
 * A completion queue in messages, for example `host 0 CQ 254 (process 1; QP 14, 15)`.
 * @param qps among which those that report to it are named
 */
export function cqName(cq: Cq, qps: Iterable<Qp>): string {
  const users = [...qps].filter((qp) => qp.sendCq === cq || qp.recvCq === cq).map((qp) => qp.qpn);
  const more = users.length > SHOWN ? ` and ${users.length - SHOWN} more` : '';
  const named = users.length === 0 ? 'no QP' : `QP ${users.slice(0, SHOWN).join(', ')}${more}`;
  return `host ${cq.host} CQ ${cq.cqn} (process ${cq.process}; ${named})`;
}
