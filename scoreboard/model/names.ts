/** How queue pairs, requests and addresses are named in messages. */

import { Message, type QueuePair, LONGEST_KNOWN, type AnyRequest } from './work.ts';
import { QP_TYPE_NAME, WR_OPCODE_NAME } from '../../rdma/verbs.ts';

/** For example `host 0 QP 14 (process 1, RC)`. */
export function qpName(q: QueuePair): string {
  if (!q.exists) return 'an unknown QP';
  const type = QP_TYPE_NAME[q.type] ?? 'not ready';
  return `host ${q.host} QP ${q.qpn} (process ${q.process}, ${type})`;
}

/** For example `SEND (wrId 7, WQE 3, 60 B in 6 SG entries) of host 0 QP 14 (process 1, RC)`. */
export function requestName(r: AnyRequest): string {
  const isShared = !r.qp.exists && !(r instanceof Message) && r.queue.isShared;
  const of = isShared ? `host ${r.queue.owner.host} SRQ ${r.queue.srqn}` : qpName(r.qp);
  return `${shortRequestName(r)} of ${of}`;
}

/** As `requestName`, without the queue pair. */
export function shortRequestName(r: AnyRequest): string {
  const entries = r.numSge;
  const size = `${lengthText(r.length)} in ${entries} SG ${entries === 1 ? 'entry' : 'entries'}`;
  return `${opcodeName(r)} (wrId ${r.wrId}, WQE ${r.wqe}, ${size})`;
}

/** Length of a request or message as `Message.length` has it: of lists of 4 GiB and more it says no more than that. */
export function lengthText(length: number): string {
  return length === LONGEST_KNOWN ? `${length} B or more` : `${length} B`;
}

/** Opcode of a send request, or RECV. */
function opcodeName(r: AnyRequest): string {
  if (!(r instanceof Message)) return 'RECV';
  return WR_OPCODE_NAME[r.opcode] ?? `opcode ${r.opcode}`;
}

/** Bytes as space-separated hexadecimal pairs. */
export function hexBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(' ');
}
