/**
 * The queue-pair context in MODIFY_QP inboxes and QUERY_QP outboxes (hangu-interface.md 4.7, with the extension
 * fields of rdma/hangu/contexts.ts).
 */

import { QPC_BYTES, QPC_EXT, QPC_FIELD, QPC_SERVICE, QPC_STATE } from '../../../rdma/hangu/contexts.ts';
import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { QpState } from '../../../rdma/verbs.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { gid, ipv4, MAC_HIGH, macLow } from '../../netAddress.ts';
import type { AddressVector, QpAttributes } from '../../qpAttributes.ts';
import type { HanguQp } from './hanguObjects.ts';
import { getField, putField } from './image.ts';

/** Context code of each verbs state, and back. */
const TO_CONTEXT_STATE = [
  QPC_STATE.rst,
  QPC_STATE.init,
  QPC_STATE.rtr,
  QPC_STATE.rts,
  QPC_STATE.sqd,
  QPC_STATE.sqe,
  QPC_STATE.err,
] as const;
const SERVICE_OF_TYPE: Readonly<Record<number, number>> = {
  [QP_TYPE.rc]: QPC_SERVICE.rc,
  [QP_TYPE.uc]: QPC_SERVICE.uc,
  [QP_TYPE.ud]: QPC_SERVICE.ud,
};
/** log2 of the longest message, in `mtuMsgmax`. */
const LOG_MAX_MESSAGE = 31;
const IPV6_FLAG = 0x80;
/** Extension flag: only requests with the CQ bit in their next segment complete. Clear = every request completes. */
export const SELECTIVE_SIGNAL = 0x40;
/** GRH traffic class, flow label and service level share a word. */
const SL_SHIFT = 28;
const CLASS_SHIFT = 20;

/** Writes the image that asks for `state` with the attributes that `qp` has, and `mask` as option mask. */
export function putQpContext(bytes: ByteStore, at: number, qp: HanguQp, state: QpState, mask: number): number {
  bytes.zero(at, QPC_BYTES);
  const put = (name: keyof typeof QPC_FIELD, value: number): void => putField(bytes, at, QPC_FIELD[name], value);
  put('optParamMask', mask);
  put('flags', ((TO_CONTEXT_STATE[state] as number) << 28) | ((SERVICE_OF_TYPE[qp.type] as number) << 16));
  put('mtuMsgmax', (qp.pathMtu << 5) | LOG_MAX_MESSAGE);
  put('rqEntrySizeLog', qp.rqStrideLog);
  put('sqEntrySizeLog', qp.sqStrideLog);
  put('usrPage', qp.process);
  put('localQpn', qp.qpn);
  put('remoteQpn', qp.destQpn);
  put('portPkey', (qp.port << 24) | qp.pkeyIndex);
  putPath(bytes, at, qp);
  putTransport(put, qp);
  putQueues(put, qp);
  return QPC_BYTES;
}

function putTransport(put: (name: keyof typeof QPC_FIELD, value: number) => void, qp: HanguQp): void {
  put('rnrRetry', qp.rnrRetry << 5);
  put('ackTimeout', qp.timeout << 3);
  put('extFlags', QPC_EXT.present | accessBits(qp.accessFlags) | (qp.signalAll ? 0 : SELECTIVE_SIGNAL));
  put('extRetryCount', qp.retryCnt);
  put('extMaxRdAtomic', qp.maxRdAtomic);
  put('extMaxDestRdAtomic', qp.maxDestRdAtomic);
  put('nextSendPsn', qp.sqPsn);
  put('lastAckedPsn', qp.sqPsn);
  put('rnrNextRecvPsn', (qp.minRnrTimer << 24) | qp.rqPsn);
  put('qkey', qp.qkey);
}

function putQueues(put: (name: keyof typeof QPC_FIELD, value: number) => void, qp: HanguQp): void {
  put('pd', qp.pd.pdn);
  put('cqnSnd', qp.sendCq.cqn);
  put('sndWqeKey', qp.sqKey);
  put('sndWqeLen', qp.sqSlots << qp.sqStrideLog);
  put('cqnRcv', qp.recvCq.cqn);
  put('rcvWqeKey', qp.rqKey);
  put('rcvWqeLen', qp.rqSlots << qp.rqStrideLog);
}

function putPath(bytes: ByteStore, at: number, qp: HanguQp): void {
  const put = (name: keyof typeof QPC_FIELD, value: number): void => putField(bytes, at, QPC_FIELD[name], value);
  putMac(put, 'smacHigh', 'smacLow', qp.host);
  put('sip', ipv4(qp.host));
  put('hopLimit', qp.hopLimit);
  put('slTclassFlowlabel', (qp.serviceLevel << SL_SHIFT) | (qp.trafficClass << CLASS_SHIFT) | qp.flowLabel);
  if (qp.remoteHost < 0) return;
  putMac(put, 'dmacHigh', 'dmacLow', qp.remoteHost);
  put('dip', ipv4(qp.remoteHost));
  if (!qp.ipv6) return;
  const words = gid(qp.remoteHost);
  put('gMylmc', IPV6_FLAG);
  put('rgid0', words[0]);
  put('rgid1', words[1]);
  put('rgid2', words[2]);
  put('rgid3', words[3]);
}

function putMac(
  put: (name: keyof typeof QPC_FIELD, value: number) => void,
  high: 'smacHigh' | 'dmacHigh',
  low: 'smacLow' | 'dmacLow',
  host: number,
): void {
  put(high, (MAC_HIGH << 16) | (macLow(host) >>> 16));
  put(low, macLow(host));
}

/** Reads the attributes out of a QUERY_QP image. */
export function readAttributes(bytes: ByteStore, at: number): QpAttributes {
  const get = (name: keyof typeof QPC_FIELD): number => getField(bytes, at, QPC_FIELD[name]);
  const recv = get('rnrNextRecvPsn');
  return {
    state: stateOf(get('flags')),
    pkeyIndex: get('portPkey') & 0xffff,
    port: get('portPkey') >>> 24,
    accessFlags: accessFlags(get('extFlags')),
    qkey: get('qkey'),
    av: readVector(get),
    pathMtu: get('mtuMsgmax') >>> 5,
    destQpn: get('remoteQpn'),
    rqPsn: recv & 0xff_ffff,
    sqPsn: get('nextSendPsn') & 0xff_ffff,
    minRnrTimer: recv >>> 24,
    timeout: get('ackTimeout') >>> 3,
    retryCnt: get('extRetryCount'),
    rnrRetry: get('rnrRetry') >>> 5,
    maxRdAtomic: get('extMaxRdAtomic'),
    maxDestRdAtomic: get('extMaxDestRdAtomic'),
  };
}

/** One difference between what was written and what QUERY_QP returned. */
export interface ContextDifference {
  readonly field: string;
  readonly wrote: number;
  readonly read: number;
}

/** What a NIC moves on while a queue pair works; sequence numbers may only have gone forward. */
const COUNTERS: readonly (keyof typeof QPC_FIELD)[] = [
  'optParamMask',
  'ssn',
  'raBuffIndex',
  'rmsn',
  'rqWqeCounter',
  'sqWqeCounter',
];
const SEQUENCE_NUMBERS: readonly (keyof typeof QPC_FIELD)[] = ['nextSendPsn', 'lastAckedPsn', 'rnrNextRecvPsn'];

/** Compares a QUERY_QP image with the image last written. Counters are left out, PSNs may have advanced. */
export function compareContexts(bytes: ByteStore, written: number, queried: number): ContextDifference[] {
  const differences: ContextDifference[] = [];
  for (const field of Object.keys(QPC_FIELD) as (keyof typeof QPC_FIELD)[]) {
    if (COUNTERS.includes(field)) continue;
    const wrote = getField(bytes, written, QPC_FIELD[field]);
    const read = getField(bytes, queried, QPC_FIELD[field]);
    const same = SEQUENCE_NUMBERS.includes(field) ? advanced(wrote, read) : wrote === read;
    if (!same) differences.push({ field, wrote, read });
  }
  return differences;
}

function advanced(wrote: number, read: number): boolean {
  return wrote >>> 24 === read >>> 24 && ((read - wrote) & 0xff_ffff) < 0x80_0000;
}

function stateOf(flags: number): QpState {
  return TO_CONTEXT_STATE.indexOf((flags >>> 28) as (typeof TO_CONTEXT_STATE)[number]) as QpState;
}

function readVector(get: (name: keyof typeof QPC_FIELD) => number): AddressVector {
  const shared = get('slTclassFlowlabel');
  return {
    remoteHost: (((get('dmacHigh') & 0xffff) << 16) | get('dmacLow')) - 1,
    ipv6: (get('gMylmc') & IPV6_FLAG) !== 0,
    serviceLevel: shared >>> SL_SHIFT,
    trafficClass: (shared >>> CLASS_SHIFT) & 0xff,
    flowLabel: shared & 0xf_ffff,
    hopLimit: get('hopLimit'),
  };
}

/** Remote rights in the extension's coding. */
function accessBits(access: number): number {
  return (
    ((access & ACCESS.remoteWrite) !== 0 ? QPC_EXT.remoteWrite : 0) |
    ((access & ACCESS.remoteRead) !== 0 ? QPC_EXT.remoteRead : 0) |
    ((access & ACCESS.remoteAtomic) !== 0 ? QPC_EXT.remoteAtomic : 0)
  );
}

function accessFlags(bits: number): number {
  return (
    ((bits & QPC_EXT.remoteWrite) !== 0 ? ACCESS.remoteWrite : 0) |
    ((bits & QPC_EXT.remoteRead) !== 0 ? ACCESS.remoteRead : 0) |
    ((bits & QPC_EXT.remoteAtomic) !== 0 ? ACCESS.remoteAtomic : 0)
  );
}
