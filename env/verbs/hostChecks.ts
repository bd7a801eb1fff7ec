/** What the host API refuses whatever the NIC: bad regions, bad creation parameters, posting at the wrong time. */

import type { RecvWr } from '../../agents/verbs/verbsItems.ts';
import { ACCESS, QP_STATE_NAME, QP_TYPE, QP_TYPE_NAME } from '../../rdma/verbs.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import type { MrRequest } from './hostApi.ts';
import { HostApiError } from './hostErrors.ts';
import { describe } from './qpTransitions.ts';
import type { Pd, Qp, QpInit, Srq } from './verbsObjects.ts';

/** Addresses of processes have 48 bits: a region may end with the last one. */
const ADDRESS_END = 2 ** 48;

/** @throws HostApiError of kind ATTRIBUTE or ACCESS. */
export function checkRegion(host: number, request: MrRequest): void {
  const { access, length, hi, lo } = request;
  const where = `host ${host}`;
  if (!(Number.isSafeInteger(length) && length >= 0)) {
    throw new HostApiError('ATTRIBUTE', where, `a region of ${length} bytes`, 'use a whole number, 0 or more', length);
  }
  if (hi >>> 0 > 0xffff) {
    throw new HostApiError('ATTRIBUTE', where, `address above 48 bits (upper half ${hi})`, 'use a process address', hi);
  }
  const over = hi * TWO_32 + (lo >>> 0) + length - ADDRESS_END;
  if (over > 0) {
    const what = `a region of ${length} bytes at ${hexAddress(hi, lo)} ends ${over} bytes behind the last address of 48 bits`;
    throw new HostApiError('ATTRIBUTE', where, what, `use ${length - over} bytes at most`, length);
  }
  const needsLocal = (access & (ACCESS.remoteWrite | ACCESS.remoteAtomic)) !== 0;
  if (needsLocal && (access & ACCESS.localWrite) === 0) {
    const what = 'remote write or atomic without local write';
    throw new HostApiError('ACCESS', where, what, 'add ACCESS.localWrite', access);
  }
}

/** True for a region whose addresses on the wire are offsets. */
export function startsAtZero(request: MrRequest): boolean {
  return request.zeroBased ?? (request.access & ACCESS.zeroBased) !== 0;
}

/** @param maxQpWr requests of a queue that the device has said @throws HostApiError of kind ATTRIBUTE or LIMIT. */
export function checkQpInit(pd: Pd, init: QpInit, maxQpWr: number): void {
  const where = `host ${pd.host}`;
  for (const cq of [init.sendCq, init.recvCq]) {
    if (cq.process === pd.process) continue;
    const what = `completion queue ${cq.cqn} belongs to process ${cq.process}, the domain to ${pd.process}`;
    throw new HostApiError('ATTRIBUTE', where, what, 'use objects of one process', cq.process);
  }
  if (init.srq) checkShared(pd, init, init.srq);
  const counts = { maxSendWr: init.maxSendWr, maxRecvWr: init.maxRecvWr, maxSge: init.maxSge };
  for (const [name, value] of Object.entries(counts)) {
    if (Number.isInteger(value) && value >= 0) continue;
    throw new HostApiError('LIMIT', where, `${name} is ${value}`, 'use 0 or more', value);
  }
  for (const name of ['maxSendWr', 'maxRecvWr'] as const) {
    if (init[name] <= maxQpWr) continue;
    throw new HostApiError('LIMIT', where, `${name} is ${init[name]}`, `use ${maxQpWr} at most`, init[name]);
  }
}

/** A shared receive queue may be of another domain, but not of another process; UC has none (roce-transport.md 6.1). */
function checkShared({ host, process }: Pd, { type }: QpInit, srq: Srq): void {
  const where = `host ${host}`;
  if (type !== QP_TYPE.rc && type !== QP_TYPE.ud) {
    const what = `a ${QP_TYPE_NAME[type]} queue pair with a shared receive queue`;
    throw new HostApiError('ATTRIBUTE', where, what, 'use RC or UD', type);
  }
  if (srq.process === process) return;
  const what = `shared receive queue ${srq.srqn} belongs to process ${srq.process}, the domain to ${process}`;
  throw new HostApiError('ATTRIBUTE', where, what, 'use objects of one process', srq.process);
}

/** Error of kind UNSUPPORTED: the receives of a queue pair are those of a queue that it shares. */
export function hasNoReceives(qp: Qp, { srqn }: Srq): HostApiError {
  const what = `it takes its receives from shared receive queue ${srqn}`;
  return new HostApiError('UNSUPPORTED', describe(qp), what, 'post them there, by postSrqRecv', srqn);
}

/** The queue pair is gone, or in a state that takes no such request. */
export function cannotPost(qp: Qp, what: string): HostApiError {
  if (!qp.alive) return new HostApiError('GONE', describe(qp), 'it has been destroyed', 'create another one');
  const state = QP_STATE_NAME[qp.state];
  return new HostApiError('STATE', describe(qp), `${what} cannot be posted in ${state}`, 'connect it first', qp.state);
}

/** Nobody will say that the send queue of this queue pair is drained. */
export function notDraining(qp: Qp): HostApiError {
  const what = `its send queue is not being drained in ${QP_STATE_NAME[qp.state]}`;
  return new HostApiError('STATE', describe(qp), what, 'take it to SQD with enSqdAsyncNotify first', qp.state);
}

/** Error of kind QUEUE_FULL. @param max requests that the queue holds */
export function queueFull(qp: Qp, queue: string, outstanding: number, count: number, max: number): HostApiError {
  const what = `${outstanding} outstanding ${queue} requests and ${count} more exceed ${max}`;
  return new HostApiError('QUEUE_FULL', describe(qp), what, 'poll completions or create it with more', count).at(
    Math.max(0, max - outstanding),
  );
}

/** Error of kind TOO_MANY_SGE. @param i position of the receive in what is posted */
export function tooManySge(qp: Qp, i: number, wr: RecvWr): HostApiError {
  const what = `receive ${i} has ${wr.numSge} entries, maxSge is ${qp.maxSge}`;
  return new HostApiError('TOO_MANY_SGE', describe(qp), what, 'use fewer, or create it with more', wr.numSge).at(i);
}
