/**
 * Mailbox images other than the queue-pair context: INIT_HCA, MAP_ICM, WRITE_MTT, SW2HW_MPT, SW2HW_CQ, SW2HW_EQ
 * (hangu-interface.md 4.4 to 4.6). Each writer clears the whole image first and returns its size in bytes.
 */

import { AQ_AREA } from '../../layout/ackQueue.ts';
import { ICM_BASE_HI, ICM_PHYSICAL_OFFSET_HI } from '../../layout/addressMap.ts';
import type { IcmTable } from '../../layout/addressMap.ts';
import { INBOX_BYTES, PAGE_BYTES } from '../../layout/commands.ts';
import { CQC_FIELD, CQC_FLAGS, EQC_FIELD, INIT_HCA_FIELD, MPT_FIELD, MPT_FLAGS_BASE } from '../../layout/contexts.ts';
import { SRQ_STATE, SRQC_FIELD } from '../../layout/sharedReceives.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { putField, putField64, putWord } from './image.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';

/** log2 of the table sizes that INIT_HCA programs, as published. */
const INIT_LOG = { qps: 16, cqs: 16, eqs: 5, mpts: 17 } as const;

/** @param gid port GID for IPv6 as four words; zeros without IPv6. @param flags what the published NIC has not (`INIT_EXT`) @param ackQueuesHi upper half of the bus addresses of ACK queues */
export function putInitHca(
  bytes: ByteStore,
  at: number,
  gid: readonly [number, number, number, number],
  flags = 0,
  ackQueuesHi: number = AQ_AREA.hi,
): number {
  bytes.zero(at, INBOX_BYTES.initHca);
  if (ackQueuesHi !== AQ_AREA.hi) putField(bytes, at, INIT_HCA_FIELD.extAckQueues, ackQueuesHi);
  putField(bytes, at, INIT_HCA_FIELD.extFlags, flags);
  putField64(bytes, at, INIT_HCA_FIELD.qpcBase, ICM_BASE_HI.qpc, INIT_LOG.qps);
  putField64(bytes, at, INIT_HCA_FIELD.cqcBase, ICM_BASE_HI.cqc, INIT_LOG.cqs);
  putField64(bytes, at, INIT_HCA_FIELD.eqcBase, ICM_BASE_HI.eqc, INIT_LOG.eqs);
  putField(bytes, at, INIT_HCA_FIELD.extPortGid0, gid[0]);
  putField(bytes, at, INIT_HCA_FIELD.extPortGid1, gid[1]);
  putField(bytes, at, INIT_HCA_FIELD.extPortGid2, gid[2]);
  putField(bytes, at, INIT_HCA_FIELD.extPortGid3, gid[3]);
  putField64(bytes, at, INIT_HCA_FIELD.mptBase, ICM_BASE_HI.mpt, INIT_LOG.mpts);
  putField64(bytes, at, INIT_HCA_FIELD.mttBase, ICM_BASE_HI.mtt, 0);
  return INBOX_BYTES.initHca;
}

/** One chunk: `pages` physically contiguous pages for a table, from its page number `firstPage` on. */
export function putMapIcm(
  bytes: ByteStore,
  at: number,
  table: IcmTable,
  firstPage: number,
  pages: number,
  busHi = ICM_BASE_HI[table] + ICM_PHYSICAL_OFFSET_HI,
): number {
  const lo = firstPage * PAGE_BYTES;
  const hi = ICM_BASE_HI[table];
  bytes.zero(at, INBOX_BYTES.mapIcm);
  putWord(bytes, at + 16, hi);
  putWord(bytes, at + 20, lo);
  putWord(bytes, at + 24, busHi);
  putWord(bytes, at + 28, lo | pages);
  return INBOX_BYTES.mapIcm;
}

/** Clears a WRITE_MTT image for `count` entries and writes its first index. */
export function putMttHeader(bytes: ByteStore, at: number, firstIndex: number, count: number): number {
  const size = 32 + 32 * Math.ceil(count / 4);
  bytes.zero(at, size);
  putWord(bytes, at + 28, firstIndex);
  return size;
}

/** Entry `i` of a WRITE_MTT image: lines of four, the first entry in the last bytes of its line. */
export function putMttEntry(bytes: ByteStore, at: number, i: number, physHi: number, physLo: number): void {
  const line = at + 32 + 32 * (i >> 2) + 24 - 8 * (i & 3);
  putWord(bytes, line, physHi);
  putWord(bytes, line + 4, physLo & ~(PAGE_BYTES - 1));
}

/** What a memory protection table entry says. */
export interface MptFields {
  readonly key: number;
  /** Its place in the table. */
  readonly index: number;
  readonly pd: number;
  readonly startHi: number;
  readonly startLo: number;
  /** Bytes, below 2^53. */
  readonly length: number;
  /** Permission byte, `MPT_PERMISSION`. */
  readonly permissions: number;
  /** Index of the first translation entry. */
  readonly mtt: number;
  /** log2 of the bytes that each translation entry stands for, over those of 4 KiB. Default 0. */
  readonly pageSize?: number;
  /** Of what requests change: flags in place of the usual ones, and pages that there is room for. */
  readonly flags?: number;
  readonly pages?: number;
}

/** Writes the inbox of SW2HW_MPT. @returns its length in bytes */
export function putMpt(bytes: ByteStore, at: number, mpt: MptFields): number {
  bytes.zero(at, INBOX_BYTES.mpt);
  putField(bytes, at, MPT_FIELD.flags, (mpt.flags ?? MPT_FLAGS_BASE) | mpt.permissions);
  putField(bytes, at, MPT_FIELD.pageSize, mpt.pageSize ?? 0);
  putField(bytes, at, MPT_FIELD.key, mpt.key);
  putField(bytes, at, MPT_FIELD.pd, mpt.pd);
  putField64(bytes, at, MPT_FIELD.start, mpt.startHi, mpt.startLo);
  putField64(bytes, at, MPT_FIELD.length, Math.floor(mpt.length / TWO_32), mpt.length % TWO_32);
  putField64(bytes, at, MPT_FIELD.mttSeg, 0, mpt.mtt);
  putField(bytes, at, MPT_FIELD.mttSz, mpt.pages ?? 0);
  return INBOX_BYTES.mpt;
}

/** What a completion-queue context says. */
export interface CqcFields {
  readonly cqn: number;
  readonly startHi: number;
  readonly startLo: number;
  readonly logSize: number;
  /** Doorbell page, 24 bits. */
  readonly usrPage: number;
  readonly eqn: number;
  readonly pd: number;
  readonly lkey: number;
  /** Index of the first completion. Default 0. */
  readonly first?: number;
}

/** Writes the inbox of SW2HW_CQ. @returns its length in bytes */
export function putCqc(bytes: ByteStore, at: number, cqc: CqcFields): number {
  bytes.zero(at, INBOX_BYTES.cq);
  putField(bytes, at, CQC_FIELD.flags, CQC_FLAGS);
  putField64(bytes, at, CQC_FIELD.start, cqc.startHi, cqc.startLo);
  putField(bytes, at, CQC_FIELD.logSize, cqc.logSize);
  putField(bytes, at, CQC_FIELD.usrPage, cqc.usrPage >>> 16);
  putField(bytes, at, CQC_FIELD.usrPageLow, cqc.usrPage);
  putField(bytes, at, CQC_FIELD.compEqn, cqc.eqn);
  putField(bytes, at, CQC_FIELD.pd, cqc.pd);
  putField(bytes, at, CQC_FIELD.lkey, cqc.lkey);
  const { first = 0 } = cqc;
  putField(bytes, at, CQC_FIELD.consumerIndex, first);
  putField(bytes, at, CQC_FIELD.producerIndex, first);
  putField(bytes, at, CQC_FIELD.cqn, cqc.cqn);
  return INBOX_BYTES.cq;
}

/** The image of RESIZE_CQ. */
export function putResize(bytes: ByteStore, at: number, logSize: number, key: number): number {
  putWord(bytes, at, logSize << 24);
  putWord(bytes, at + 4, key);
  return INBOX_BYTES.resizeCq;
}

/** What the context of a shared receive queue says. */
export interface SrqcFields {
  readonly srqn: number;
  readonly rqSlots: number;
  readonly rqStrideLog: number;
  readonly key: number;
  readonly pd: { readonly pdn: number };
  readonly next: number;
}

/** Writes the inbox of SW2HW_SRQ. @returns its length in bytes */
export function putSrqc(bytes: ByteStore, at: number, srq: SrqcFields): number {
  bytes.zero(at, INBOX_BYTES.srq);
  const size = (SRQ_STATE.ready << 28) | (Math.log2(srq.rqSlots) << 24);
  putField(bytes, at, SRQC_FIELD.stateSize, size | srq.srqn);
  putField(bytes, at, SRQC_FIELD.lkey, srq.key);
  putField(bytes, at, SRQC_FIELD.logStride, srq.rqStrideLog);
  putField(bytes, at, SRQC_FIELD.pd, srq.pd.pdn);
  putField(bytes, at, SRQC_FIELD.next, srq.next);
  return INBOX_BYTES.srq;
}

/** What an event-queue context says. */
export interface EqcFields {
  readonly startHi: number;
  readonly startLo: number;
  readonly logSize: number;
  readonly msixVector: number;
  readonly pd: number;
  readonly lkey: number;
}

/** Writes the inbox of SW2HW_EQ. @returns its length in bytes */
export function putEqc(bytes: ByteStore, at: number, eqc: EqcFields): number {
  bytes.zero(at, INBOX_BYTES.eq);
  putField(bytes, at, EQC_FIELD.flags, CQC_FLAGS);
  putField64(bytes, at, EQC_FIELD.start, eqc.startHi, eqc.startLo);
  putField(bytes, at, EQC_FIELD.logSize, eqc.logSize);
  putField(bytes, at, EQC_FIELD.msixVector, eqc.msixVector);
  putField(bytes, at, EQC_FIELD.pd, eqc.pd);
  putField(bytes, at, EQC_FIELD.lkey, eqc.lkey);
  return INBOX_BYTES.eq;
}
