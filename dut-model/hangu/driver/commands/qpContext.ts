/**
 * The queue-pair context in MODIFY_QP inboxes and QUERY_QP outboxes (hangu-interface.md 4.7, with the extension
 * fields of dut-model/hangu/layout/contexts.ts).
 */

import type { Field } from '../../layout/contexts.ts';
import { QPC_BYTES, QPC_EXT, QPC_FIELD, QPC_SERVICE, QPC_STATE } from '../../layout/contexts.ts';
import { QPC_HAS_SRQ } from '../../layout/sharedReceives.ts';
import { ACCESS, QP_TYPE } from '../../../../rdma/verbs.ts';
import type { QpState } from '../../../../rdma/verbs.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { PortAddress } from '../../../../agents/wire/pathChecker.ts';
import type { NetAddresses } from '../../../../env/ports/netAddress.ts';
import type { AddressVector, QpAttributes } from '../../../../env/verbs/qpAttributes.ts';
import type { HanguQp } from '../hanguObjects.ts';
import { getField, putField } from './image.ts';

/** Bit 8 of a number that has a byte. */
const ABOVE_BYTE = 0x100;
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
  [QP_TYPE.raw]: QPC_SERVICE.raw,
};
/** log2 of the longest message, in `mtuMsgmax`. */
const LOG_MAX_MESSAGE = 31;
const IPV6_FLAG = 0x80;
/** GRH traffic class, flow label and service level share a word. */
const SL_SHIFT = 28;
const CLASS_SHIFT = 20;

const F = QPC_FIELD;

/** Writes the image that asks for `state` with the attributes that `qp` has, and `mask` as option mask. */
export function putQpContext(
  bytes: ByteStore,
  at: number,
  qp: HanguQp,
  state: QpState,
  mask: number,
  addresses: NetAddresses,
): number {
  bytes.zero(at, QPC_BYTES);
  putField(bytes, at, F.optParamMask, mask);
  const service = SERVICE_OF_TYPE[qp.type] as number;
  putField(bytes, at, F.flags, ((TO_CONTEXT_STATE[state] as number) << 28) | (service << 16));
  putField(bytes, at, F.mtuMsgmax, (qp.pathMtu << 5) | LOG_MAX_MESSAGE);
  putField(bytes, at, F.rqEntrySizeLog, qp.rqStrideLog);
  putField(bytes, at, F.sqEntrySizeLog, qp.sqStrideLog);
  putField(bytes, at, F.usrPage, qp.process);
  putField(bytes, at, F.localQpn, qp.qpn);
  putField(bytes, at, F.remoteQpn, qp.destQpn);
  putField(bytes, at, F.portPkey, (qp.port << 24) | qp.pkeyIndex);
  putPath(bytes, at, qp, addresses);
  putTransport(bytes, at, qp);
  putQueues(bytes, at, qp);
  return QPC_BYTES;
}

function putTransport(bytes: ByteStore, at: number, qp: HanguQp): void {
  putField(bytes, at, F.rnrRetry, qp.rnrRetry << 5);
  putField(bytes, at, F.ackTimeout, qp.timeout << 3);
  const signal = qp.signalAll ? 0 : QPC_EXT.selectiveSignal;
  putField(bytes, at, F.extFlags, QPC_EXT.present | accessBits(qp.accessFlags) | signal | limitBits(qp));
  putField(bytes, at, F.extRetryCount, qp.retryCnt);
  putField(bytes, at, F.extMaxRdAtomic, qp.maxRdAtomic & 0xff);
  putField(bytes, at, F.extMaxDestRdAtomic, qp.maxDestRdAtomic & 0xff);
  putField(bytes, at, F.nextSendPsn, qp.sqPsn);
  putField(bytes, at, F.lastAckedPsn, qp.sqPsn);
  putField(bytes, at, F.rnrNextRecvPsn, (qp.minRnrTimer << 24) | qp.rqPsn);
  putField(bytes, at, F.qkey, qp.qkey);
}

function putQueues(bytes: ByteStore, at: number, qp: HanguQp): void {
  putField(bytes, at, F.pd, qp.pd.pdn);
  putField(bytes, at, F.cqnSnd, qp.sendCq.cqn);
  putField(bytes, at, F.sndWqeKey, qp.sqKey);
  putField(bytes, at, F.sndWqeLen, qp.sqSlots << qp.sqStrideLog);
  putField(bytes, at, F.cqnRcv, qp.recvCq.cqn);
  if (qp.srq !== null) {
    putField(bytes, at, F.extSrqn, QPC_HAS_SRQ | qp.srq.srqn);
    return;
  }
  putField(bytes, at, F.rcvWqeKey, qp.rqKey);
  putField(bytes, at, F.rcvWqeLen, qp.rqSlots << qp.rqStrideLog);
}

function putPath(bytes: ByteStore, at: number, qp: HanguQp, addresses: NetAddresses): void {
  const own = addresses.of(qp.host, qp.port);
  putMac(bytes, at, F.smacHigh, F.smacLow, own);
  putField(bytes, at, F.sip, own.ipv4);
  putField(bytes, at, F.hopLimit, qp.hopLimit);
  const shared = (qp.serviceLevel << SL_SHIFT) | (qp.trafficClass << CLASS_SHIFT) | qp.flowLabel;
  putField(bytes, at, F.slTclassFlowlabel, shared);
  if (qp.remoteHost < 0) return;
  const remote = addresses.of(qp.remoteHost, qp.port);
  putMac(bytes, at, F.dmacHigh, F.dmacLow, remote);
  putField(bytes, at, F.dip, remote.ipv4);
  if (!qp.ipv6) return;
  const words = remote.ipv6;
  putField(bytes, at, F.gMylmc, IPV6_FLAG);
  putField(bytes, at, F.rgid0, words[0]);
  putField(bytes, at, F.rgid1, words[1]);
  putField(bytes, at, F.rgid2, words[2]);
  putField(bytes, at, F.rgid3, words[3]);
}

function putMac(bytes: ByteStore, at: number, high: Field, low: Field, { macHigh, macLow }: PortAddress): void {
  putField(bytes, at, high, (macHigh << 16) | (macLow >>> 16));
  putField(bytes, at, low, macLow);
}

/** Reads the state out of a QUERY_QP image. */
export function readState(bytes: ByteStore, at: number): QpState {
  return stateOf(getField(bytes, at, QPC_FIELD.flags));
}

/** Reads the attributes out of a QUERY_QP image. */
export function readAttributes(bytes: ByteStore, at: number, addresses: NetAddresses): QpAttributes {
  const get = (name: keyof typeof QPC_FIELD): number => getField(bytes, at, QPC_FIELD[name]);
  const recv = get('rnrNextRecvPsn');
  const flags = get('extFlags');
  return {
    state: stateOf(get('flags')),
    pkeyIndex: get('portPkey') & 0xffff,
    port: get('portPkey') >>> 24,
    accessFlags: accessFlags(flags),
    qkey: get('qkey'),
    av: readVector(get, addresses),
    pathMtu: get('mtuMsgmax') >>> 5,
    destQpn: get('remoteQpn'),
    rqPsn: recv & 0xff_ffff,
    sqPsn: get('nextSendPsn') & 0xff_ffff,
    minRnrTimer: recv >>> 24,
    timeout: get('ackTimeout') >>> 3,
    retryCnt: get('extRetryCount'),
    rnrRetry: get('rnrRetry') >>> 5,
    maxRdAtomic: get('extMaxRdAtomic') | ((flags & QPC_EXT.manyReads) !== 0 ? ABOVE_BYTE : 0),
    maxDestRdAtomic: get('extMaxDestRdAtomic') | ((flags & QPC_EXT.manyAnswers) !== 0 ? ABOVE_BYTE : 0),
  };
}

/** One difference between what was written and what QUERY_QP returned. */
export interface ContextDifference {
  readonly field: string;
  readonly wrote: number;
  readonly read: number;
}

const NO_DIFFERENCE: readonly ContextDifference[] = [];

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

/** Bits of each 32-bit word of the image that hold no counter, in the order of the machine. */
const COMPARED = comparedBits();

/** Compares a QUERY_QP image with the image last written. Counters are left out, PSNs may have advanced. */
export function compareContexts(bytes: ByteStore, written: number, queried: number): readonly ContextDifference[] {
  return sameWords(bytes.i32, written >>> 2, queried >>> 2) ? NO_DIFFERENCE : differencesOf(bytes, written, queried);
}

/** True for nearly every comparison, which is one for each queue pair. */
function sameWords(w: Int32Array, a: number, b: number): boolean {
  for (let i = 0; i < COMPARED.length; i++) {
    if ((((w[a + i] as number) ^ (w[b + i] as number)) & (COMPARED[i] as number)) !== 0) return false;
  }
  return true;
}

function comparedBits(): Int32Array {
  const words = new Int32Array(QPC_BYTES >>> 2);
  const bits = new Uint8Array(words.buffer);
  for (const name of Object.keys(QPC_FIELD) as (keyof typeof QPC_FIELD)[]) {
    const [offset, size] = QPC_FIELD[name];
    if (!COUNTERS.includes(name)) bits.fill(0xff, offset, offset + size);
  }
  return words;
}

function differencesOf(bytes: ByteStore, written: number, queried: number): ContextDifference[] {
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

function readVector(get: (name: keyof typeof QPC_FIELD) => number, addresses: NetAddresses): AddressVector {
  const shared = get('slTclassFlowlabel');
  return {
    remoteHost: addresses.hostOf(get('dmacHigh') >>> 16, (get('dmacHigh') << 16) | (get('dmacLow') & 0xffff)),
    ipv6: (get('gMylmc') & IPV6_FLAG) !== 0,
    serviceLevel: shared >>> SL_SHIFT,
    trafficClass: (shared >>> CLASS_SHIFT) & 0xff,
    flowLabel: shared & 0xf_ffff,
    hopLimit: get('hopLimit'),
  };
}

/** Remote rights in the extension's coding. */
/** Bit 8 of the two limits of READs and atomics. */
function limitBits({ maxRdAtomic, maxDestRdAtomic }: HanguQp): number {
  return (maxRdAtomic > 0xff ? QPC_EXT.manyReads : 0) | (maxDestRdAtomic > 0xff ? QPC_EXT.manyAnswers : 0);
}

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
