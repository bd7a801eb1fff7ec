/** Host memory that a NIC cannot read, as sequences bring it about. */

import { type Proc, delay } from '../../uvm/kernel/process.ts';
import { MS } from '../../uvm/kernel/time.ts';
import type { Connection } from './connection.ts';
import { ask, type OneWay } from './oneWay.ts';
import type { UserSequence } from './userSequence.ts';

/** Longer than any NIC waits for an answer. */
export const PATIENCE = 20 * MS;

/** The ways in which a read of host memory fails, as actions of `+PCIE_FAULT`. */
export const FAILURES = ['ur', 'ca', 'poison', 'lose'] as const;

/**
 * A SEND for which a NIC is to read the context of its queue pair and cannot: the sender's, and in the next round the receiver's.
 * @param how the four ways in which a read fails, each for two rounds @returns the rule, which acts until it is stopped
 */
export function* sendWithoutContext(
  sequence: UserSequence,
  { left, right }: Connection,
  own: OneWay,
  how: readonly [string, string, string, string],
  round: number,
): Proc<ReturnType<UserSequence['pcie']['fault']>> {
  const { host, qp } = (round & 1) === 0 ? left : right;
  const way = how[(round >> 1) % how.length] as string;
  const fault = sequence.pcie.fault(`${way} area=context host=${host} qpn=${qp.qpn} nth=1 optional`);
  yield* ask(own, 'send');
  yield* delay(PATIENCE);
  return fault;
}
