/** What host software asks of a NIC and is told back, in the words of the verbs: one line each, for logs. */

import type {
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  Sge,
  VisibleCompletion,
  AsyncEventItem,
} from '../../agents/verbs/verbsItems.ts';
import {
  ASYNC_EVENT_NAME,
  QP_TYPE_NAME,
  SEND_FLAG,
  WC_STATUS,
  WC_STATUS_NAME,
  wcOpcodeName,
  WR_OPCODE,
  WR_OPCODE_NAME,
} from '../../rdma/verbs.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';

const REMOTE: ReadonlySet<number> = new Set([
  WR_OPCODE.rdmaWrite,
  WR_OPCODE.rdmaWriteWithImm,
  WR_OPCODE.rdmaRead,
  WR_OPCODE.atomicCmpAndSwp,
  WR_OPCODE.atomicFetchAndAdd,
]);
const IMMEDIATE: ReadonlySet<number> = new Set([WR_OPCODE.rdmaWriteWithImm, WR_OPCODE.sendWithImm]);

/** A work request of a send queue. */
export function sendText({ host, qpn, wqeIndex, remoteHost, wr }: PostedSend): string {
  const name = WR_OPCODE_NAME[wr.opcode] ?? `opcode ${wr.opcode}`;
  const remote = REMOTE.has(wr.opcode)
    ? `, remote ${hexAddress(wr.remoteHi, wr.remoteLo)} rkey ${hex(wr.rkey)}`
    : keyText(wr);
  const imm = IMMEDIATE.has(wr.opcode) ? `, imm ${hex(wr.imm)}` : '';
  const flags = Object.entries(SEND_FLAG).filter(([, bit]) => (wr.flags & bit) !== 0);
  const flagText = flags.length === 0 ? '' : `, ${flags.map(([flag]) => flag).join(' ')}`;
  const list = listText(wr.sges, wr.numSge);
  return `host ${host} QP ${qpn}: ${name} (${idText(wr.wrId, wqeIndex)}) to host ${remoteHost}, ${list}${remote}${imm}${flagText}`;
}

/** What a request does to keys. */
function keyText({ opcode, imm, change }: PostedSend['wr']): string {
  if (opcode < WR_OPCODE.localInv) return '';
  if (change === null) return `, key ${hex(imm)}`;
  const { key, mrKey, hi, lo, length, access, type } = change;
  const region = type === 0 ? '' : ` of region ${hex(mrKey)}`;
  return `, key ${hex(key)} for ${length} B at ${hexAddress(hi, lo)}${region}, access ${hex(access)}`;
}

/** A work request of a receive queue. */
export function recvText({ host, qpn, wqeIndex, wr }: PostedRecv): string {
  return `host ${host} QP ${qpn}: RECV (${idText(wr.wrId, wqeIndex)}), ${listText(wr.sges, wr.numSge)}`;
}

/** A completion as software will read it. */
export function completionText({ host, cqn, wc }: VisibleCompletion): string {
  const status = WC_STATUS_NAME[wc.status] ?? `status ${wc.status}`;
  const where = `host ${host} QP ${wc.qpn} CQ ${cqn}`;
  const id = idText(wc.wrId, wc.wqeIndex);
  if (wc.status !== WC_STATUS.success) {
    const queue = wc.isSend ? 'send' : 'receive';
    return `${where}: ${status} of the ${queue} queue (${id}), vendor error ${wc.vendorErr}`;
  }
  return `${where}: ${status} ${wcOpcodeName(wc.opcode)} (${id}), ${wc.byteLen} B`;
}

/** A queue pair that has become ready to send. */
export function qpText({ host, qpn, type, pd, sendCqn, recvCqn, mtu, remoteHost, remoteQpn }: QpInfo): string {
  const peer = remoteHost < 0 ? '' : `, connected with host ${remoteHost} QP ${remoteQpn}`;
  const queues = `send CQ ${sendCqn}, receive CQ ${recvCqn}`;
  return `host ${host} QP ${qpn}: ${QP_TYPE_NAME[type] ?? type} in RTS${peer}, PD ${pd ?? '?'}, ${queues}, MTU ${mtu}`;
}

/** An asynchronous event. */
export function eventText({ host, event, number }: AsyncEventItem): string {
  return `host ${host}: ${ASYNC_EVENT_NAME[event] ?? `event ${event}`} for number ${number}`;
}

/** A region that the NIC knows. */
export function mrText({ host, key, hi, lo, length, access, pd, process }: MrInfo): string {
  return `host ${host} key ${hex(key)}: ${length} B at ${hexAddress(hi, lo)}, access ${hex(access)}, PD ${pd}, process ${process}`;
}

/** As findings name a request. */
function idText(wrId: number, wqeIndex: number): string {
  return `wrId ${wrId}, WQE ${wqeIndex}`;
}

function listText(sges: readonly Sge[], count: number): string {
  let bytes = 0;
  for (let i = 0; i < count; i++) bytes += (sges[i] as Sge).length;
  const first = sges[0];
  if (count === 0 || first === undefined) return 'no data';
  const more = count === 1 ? '' : ` and ${count - 1} more entries`;
  return `${bytes} B at ${hexAddress(first.hi, first.lo)} lkey ${hex(first.lkey)}${more}`;
}
