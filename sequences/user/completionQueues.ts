import type { HostApi } from '../../env/verbs/hostApi.ts';
import type { Cq } from '../../env/verbs/verbsObjects.ts';
import type { Connection } from './connection.ts';

/** Entries up to which any NIC's driver can resize a queue that is in use. */
export const MOST_RESIZED = 2 ** 14;

/** All completion queues of some connections, each with the host that it is on. */
export function completionQueues(connections: readonly Connection[]): Map<Cq, HostApi> {
  const queues = new Map<Cq, HostApi>();
  for (const { left, right } of connections)
    for (const { qp, api } of [left, right]) for (const cq of [qp.sendCq, qp.recvCq]) queues.set(cq, api);
  return queues;
}
