/** What software posts: requests that this NIC has not are refused, others become the driver's own. */
import type { RecvWr, SendWr, Sge } from '../../../agents/verbs/verbsItems.ts';
import { SEND_OPCODE } from '../layout/descriptors.ts';
import { BLUE_LIMITS } from '../layout/limits.ts';
import { SEND_FLAG, WC_OF_WR, WR_OPCODE } from '../../../rdma/verbs.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { describe } from '../../../env/verbs/qpTransitions.ts';
import type { BlueQp, Receive } from './blueObjects.ts';
import { SendRequest } from './tracking/sendRequest.ts';

/** @throws HostApiError for what this NIC cannot do */
export function checkSend(qp: BlueQp, wr: SendWr, i: number): void {
  const where = describe(qp);
  if (SEND_OPCODE_OF[wr.opcode] === undefined) {
    const hint = 'use SEND, WRITE or READ';
    throw new HostApiError(
      'UNSUPPORTED',
      where,
      `request ${i}: opcode ${wr.opcode} does not exist on this NIC`,
      hint,
    ).at(i);
  }
  if (wr.numSge > qp.maxSge) {
    const what = `request ${i}: ${wr.numSge} entries, maxSge is ${qp.maxSge}`;
    throw new HostApiError('TOO_MANY_SGE', where, what, 'use one', wr.numSge).at(i);
  }
  const length = wr.numSge > 0 ? (wr.sges[0] as Sge).length : 0;
  if (length >= 0 && length <= BLUE_LIMITS.maxMessageBytes) return;
  const hint = `use at most ${BLUE_LIMITS.maxMessageBytes}`;
  throw new HostApiError('TOO_LONG', where, `request ${i} has ${length} bytes`, hint, length).at(i);
}

/** @param number running number in its send queue */
export function requestOf(qp: BlueQp, wr: SendWr, number: number): SendRequest {
  const { hi, lo, length, lkey } = wr.numSge > 0 ? (wr.sges[0] as Sge) : NOTHING;
  const request = new SendRequest();
  request.wrId = wr.wrId;
  request.number = number;
  request.opcode = SEND_OPCODE_OF[wr.opcode] as number;
  request.wcOpcode = WC_OF_WR[wr.opcode] as number;
  request.signaled = qp.signalAll || (wr.flags & SEND_FLAG.signaled) !== 0;
  request.solicited = (wr.flags & SEND_FLAG.solicited) !== 0;
  request.fence = (wr.flags & SEND_FLAG.fence) !== 0;
  request.imm = wr.imm;
  request.remoteHi = wr.remoteHi;
  request.remoteLo = wr.remoteLo;
  request.rkey = wr.rkey;
  request.localHi = hi;
  request.localLo = lo;
  request.length = length;
  request.lkey = lkey;
  return request;
}

export function receiveOf(wr: RecvWr, number: number): Receive {
  const { hi, lo, length, lkey } = wr.numSge > 0 ? (wr.sges[0] as Sge) : NOTHING;
  return { wrId: wr.wrId, number, hi, lo, length, key: lkey };
}

const SEND_OPCODE_OF: Readonly<Record<number, number>> = {
  [WR_OPCODE.rdmaWrite]: SEND_OPCODE.write,
  [WR_OPCODE.rdmaWriteWithImm]: SEND_OPCODE.writeImm,
  [WR_OPCODE.send]: SEND_OPCODE.send,
  [WR_OPCODE.sendWithImm]: SEND_OPCODE.sendImm,
  [WR_OPCODE.rdmaRead]: SEND_OPCODE.read,
};

const NOTHING = { hi: 0, lo: 0, length: 0, lkey: 0 } as const;
