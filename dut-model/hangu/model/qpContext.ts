/**
 * The queue-pair context as the model keeps it: 256 bytes in ICM, cached on chip. Dwords 0-47 are the command image's
 * dwords as numbers (byte offset / 4 of `QPC_FIELD`), so that QUERY_QP can return what was written; dwords 48-63 are
 * the NIC's own.
 */
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { ACK_TIMER_PS, RNR_RETRY_FOR_EVER } from '../../../rdma/timers.ts';
import { MTU_BYTES } from '../../../rdma/verbs.ts';
import { swap32 } from '../../roce/endian.ts';
import { QPC_EXT, QPC_FIELD, QPC_SERVICE } from '../layout/contexts.ts';
import { NEXT_SEG } from '../layout/queues.ts';

/** Dword indices of a context line. */
export const QPC_DW = {
  flags: QPC_FIELD.flags[0] >> 2,
  sizes: 12 >> 2, // [31:24] mtu_msgmax, [23:16] log RQ stride, [15:8] log SQ stride
  usrPage: QPC_FIELD.usrPage[0] >> 2,
  localQpn: QPC_FIELD.localQpn[0] >> 2,
  remoteQpn: QPC_FIELD.remoteQpn[0] >> 2,
  portPkey: QPC_FIELD.portPkey[0] >> 2,
  path: 32 >> 2, // [31:24] rnr_retry, [23:16] g_mylmc
  ack: 36 >> 2, // [31:24] ack time-out, [7:0] hop limit
  slTclassFlow: QPC_FIELD.slTclassFlowlabel[0] >> 2,
  rgid: QPC_FIELD.rgid0[0] >> 2,
  macLow: 60 >> 2, // [31:16] dmac[15:0], [15:0] smac[15:0]
  smacHigh: QPC_FIELD.smacHigh[0] >> 2,
  dmacHigh: QPC_FIELD.dmacHigh[0] >> 2,
  sip: QPC_FIELD.sip[0] >> 2,
  dip: QPC_FIELD.dip[0] >> 2,
  srqn: QPC_FIELD.extSrqn[0] >> 2, // bit 31: there is one
  ext: 80 >> 2, // [31:24] flags, [23:16] retries, [15:8] max_rd_atomic, [7:0] max_dest_rd_atomic
  pd: QPC_FIELD.pd[0] >> 2,
  nextPsn: QPC_FIELD.nextSendPsn[0] >> 2,
  cqnSnd: QPC_FIELD.cqnSnd[0] >> 2,
  sqKey: QPC_FIELD.sndWqeKey[0] >> 2,
  sqLength: QPC_FIELD.sndWqeLen[0] >> 2,
  unaPsn: QPC_FIELD.lastAckedPsn[0] >> 2,
  ssn: QPC_FIELD.ssn[0] >> 2,
  rnrEpsn: QPC_FIELD.rnrNextRecvPsn[0] >> 2,
  cqnRcv: QPC_FIELD.cqnRcv[0] >> 2,
  rqKey: QPC_FIELD.rcvWqeKey[0] >> 2,
  rqLength: QPC_FIELD.rcvWqeLen[0] >> 2,
  qkey: QPC_FIELD.qkey[0] >> 2,
  msn: QPC_FIELD.rmsn[0] >> 2,
  counters: 188 >> 2, // [31:16] RQ, [15:0] SQ WQE counter
  /** Ring offset of the next RECV, own to the NIC. */
  rqHead: 48,
  /** Marks a context that SW wrote: memory which was never written does not pass for one. */
  marker: 63,
} as const;

const MARKER = 0x48475150;

/** @param life of the `IcmMap` */
export function qpcMarker(qpn: number, life: number): number {
  return qpn ^ MARKER ^ life;
}

/** `QPC_STATE` code. */
export function qpState(w: Int32Array, c: number): number {
  return (w[c + QPC_DW.flags] as number) >>> 28;
}

/** Leaves the other flags as they are. */
export function setQpState(w: Int32Array, c: number, state: number): void {
  w[c + QPC_DW.flags] = ((w[c + QPC_DW.flags] as number) & 0x0fff_ffff) | (state << 28);
}

/** `QPC_SERVICE` code. */
export function qpService(w: Int32Array, c: number): number {
  return ((w[c + QPC_DW.flags] as number) >>> 16) & 0xff;
}

/** Path MTU in bytes. */
export function qpMtu(w: Int32Array, c: number): number {
  const code = (w[c + QPC_DW.sizes] as number) >>> 29;
  // Codes 1 to 5 are powers of two: no need to look them up.
  return code >= 1 && code <= 5 ? 128 << code : (MTU_BYTES[code] ?? 256);
}

/** Protection domain. */
export function qpPd(w: Int32Array, c: number): number {
  return w[c + QPC_DW.pd] as number;
}

/** PSN of the next request that the responder takes. */
export function expectedPsn(w: Int32Array, c: number): number {
  return (w[c + QPC_DW.rnrEpsn] as number) & 0xffffff;
}

/** Says which PSN the responder takes next. @param psn below 2^24 */
export function setExpectedPsn(w: Int32Array, c: number, psn: number): void {
  w[c + QPC_DW.rnrEpsn] = ((w[c + QPC_DW.rnrEpsn] as number) & 0xff00_0000) | psn;
}

/** Minimum RNR timer code that the responder sends. */
export function minRnrTimer(w: Int32Array, c: number): number {
  return ((w[c + QPC_DW.rnrEpsn] as number) >>> 24) & 31;
}

/** Bytes from one RECV to the next. */
export function rqStride(w: Int32Array, c: number): number {
  return 1 << (((w[c + QPC_DW.sizes] as number) >>> 16) & 0xff);
}

/** The extension byte group, or its defaults when software left it zero (contexts.ts). */
export function extension(w: Int32Array, c: number): number {
  const e = w[c + QPC_DW.ext] as number;
  return (e >>> 24) & QPC_EXT.present ? e : DEFAULT_EXTENSION;
}
const DEFAULT_EXTENSION =
  ((QPC_EXT.present | QPC_EXT.remoteWrite | QPC_EXT.remoteRead | QPC_EXT.remoteAtomic) << 24) |
  (7 << 16) |
  (16 << 8) |
  16;

/** Whether a request with these bits in the third dword of its WQE completes when it succeeds (roce-transport.md 5.2). */
export function wantsCompletion(w: Int32Array, c: number, dw2: number): boolean {
  const selective = ((extension(w, c) >>> 24) & QPC_EXT.selectiveSignal) !== 0;
  return !selective || (dw2 & NEXT_SEG.cqUpdate) !== 0;
}

/** READs and atomics that may be outstanding as requester. */
export function mostReads(w: Int32Array, c: number): number {
  const e = extension(w, c);
  return ((e >>> 8) & 0xff) | ((e >>> 24) & QPC_EXT.manyReads ? ABOVE_BYTE : 0);
}

/** READs and atomics that a responder has resources for. */
export function mostAnswers(w: Int32Array, c: number): number {
  const e = extension(w, c);
  return (e & 0xff) | ((e >>> 24) & QPC_EXT.manyAnswers ? ABOVE_BYTE : 0);
}
const ABOVE_BYTE = 0x100;

/** Retries allowed for time-outs and sequence errors. */
export function retryLimit(w: Int32Array, c: number): number {
  return (extension(w, c) >>> 16) & 7;
}

/** Refusals in a row that a request survives; `RNR_RETRY_FOR_EVER` also where the image does not say. */
export function rnrRetryLimit(w: Int32Array, c: number): number {
  const e = w[c + QPC_DW.ext] as number;
  if (!((e >>> 24) & QPC_EXT.present)) return RNR_RETRY_FOR_EVER;
  return (w[c + QPC_DW.path] as number) >>> 29;
}

/** Local ACK time-out in ps; 0 = never, or code 14 where software gave no extension (roce-transport.md 3.8). */
export function ackTimeoutPs(w: Int32Array, c: number): number {
  const code = (w[c + QPC_DW.ack] as number) >>> 27;
  if (code !== 0) return ACK_TIMER_PS[code] as number;
  const given = ((w[c + QPC_DW.ext] as number) >>> 24) & QPC_EXT.present;
  return given !== 0 ? 0 : (ACK_TIMER_PS[14] as number);
}

/** Whether the connection is RoCEv2 over IPv6. */
export function qpIpv6(w: Int32Array, c: number): boolean {
  return ((w[c + QPC_DW.path] as number) & 0x80_0000) !== 0;
}

/** Whether this is a UD queue pair. */
export function isUd(w: Int32Array, c: number): boolean {
  return qpService(w, c) === QPC_SERVICE.ud;
}

/** Whether this is an RC queue pair. */
export function isRc(w: Int32Array, c: number): boolean {
  return qpService(w, c) === QPC_SERVICE.rc;
}

/** Whether it sends and takes whole frames of software. */
export function isRaw(w: Int32Array, c: number): boolean {
  return qpService(w, c) === QPC_SERVICE.raw;
}

/** BTH service class bits of the context's service. */
export function bthClass(w: Int32Array, c: number): number {
  return qpService(w, c) << 5;
}

/** Whether a queue pair takes its receives from a shared queue. */
export function takesShared(w: Int32Array, c: number): boolean {
  return (w[c + QPC_DW.srqn] as number) < 0;
}

/** Copies 192 image bytes (big-endian dwords) at `inbox` into the line at dword `c`. */
export function loadImage(bytes: ByteStore, inbox: number, c: number): void {
  const w = bytes.i32;
  const from = inbox >> 2;
  for (let i = 0; i < 48; i++) w[c + i] = swap32(w[from + i] as number);
}

/** The reverse of `loadImage`, for QUERY_QP. */
export function storeImage(bytes: ByteStore, c: number, outbox: number): void {
  const w = bytes.i32;
  const to = outbox >> 2;
  for (let i = 0; i < 48; i++) w[to + i] = swap32(w[c + i] as number);
}
