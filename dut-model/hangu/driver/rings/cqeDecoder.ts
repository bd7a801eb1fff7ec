/**
 * Completion-queue entries to work completions (hangu-interface.md 8.1).
 */

import { CQE_GRH_FLAG, CQE_OPCODE_ERROR, CQE_RECV_OPCODE, CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import { QP_TYPE, WC_FLAG, WC_OPCODE, WC_STATUS } from '../../../../rdma/verbs.ts';
import { NOT_TOLD, type WorkCompletion } from '../../../../agents/verbs/verbsItems.ts';
import type { HanguQp } from '../hanguObjects.ts';
import { NO_CELLS, type RequestIds } from './requestIds.ts';

/** What is wrong with an entry, as a bit set. */
export const CQE_PROBLEM = { none: 0, qp: 1, opcode: 2, direction: 4, offset: 8, reserved: 16 } as const;

/** Completion opcode reported for an entry whose own opcode does not exist. */
const WC_OPCODE_UNKNOWN = 255;

/** Completion opcode of each send-queue opcode and each receive opcode; 255 = there is none. */
const SEND_OPCODE = table([
  [WQE_OPCODE.send, WC_OPCODE.send],
  [WQE_OPCODE.sendImm, WC_OPCODE.send],
  [WQE_OPCODE.write, WC_OPCODE.rdmaWrite],
  [WQE_OPCODE.writeImm, WC_OPCODE.rdmaWrite],
  [WQE_OPCODE.read, WC_OPCODE.rdmaRead],
  [WQE_OPCODE.compareSwap, WC_OPCODE.compSwap],
  [WQE_OPCODE.fetchAdd, WC_OPCODE.fetchAdd],
  [WQE_OPCODE.sendInv, WC_OPCODE.send],
  [WQE_OPCODE.bindMw, WC_OPCODE.bindMw],
  [WQE_OPCODE.regMr, WC_OPCODE.regMr],
  [WQE_OPCODE.localInv, WC_OPCODE.localInv],
]);
const RECV_OPCODE = table([
  [CQE_RECV_OPCODE.sendLast, WC_OPCODE.recv],
  [CQE_RECV_OPCODE.sendOnly, WC_OPCODE.recv],
  [CQE_RECV_OPCODE.sendLastImm, WC_OPCODE.recv],
  [CQE_RECV_OPCODE.sendOnlyImm, WC_OPCODE.recv],
  [CQE_RECV_OPCODE.writeLastImm, WC_OPCODE.recvRdmaWithImm],
  [CQE_RECV_OPCODE.writeOnlyImm, WC_OPCODE.recvRdmaWithImm],
  [CQE_RECV_OPCODE.sendLastInv, WC_OPCODE.recv],
  [CQE_RECV_OPCODE.sendOnlyInv, WC_OPCODE.recv],
]);
/** The receive opcodes with immediate data are the odd ones, but those that have invalidated a key, from here on. */
const IMM_BIT = 1;
const FIRST_INVALIDATION = CQE_RECV_OPCODE.sendLastInv;

const STATUS_OF_SYNDROME = table(
  [
    [CQE_SYNDROME.localLength, WC_STATUS.locLenErr],
    [CQE_SYNDROME.localQpOperation, WC_STATUS.locQpOpErr],
    [CQE_SYNDROME.localProtection, WC_STATUS.locProtErr],
    [CQE_SYNDROME.flush, WC_STATUS.wrFlushErr],
    [CQE_SYNDROME.mwBind, WC_STATUS.mwBindErr],
    [CQE_SYNDROME.badResponse, WC_STATUS.badRespErr],
    [CQE_SYNDROME.localAccess, WC_STATUS.locAccessErr],
    [CQE_SYNDROME.remoteInvalidRequest, WC_STATUS.remInvReqErr],
    [CQE_SYNDROME.remoteAccess, WC_STATUS.remAccessErr],
    [CQE_SYNDROME.remoteOperation, WC_STATUS.remOpErr],
    [CQE_SYNDROME.retryExceeded, WC_STATUS.retryExcErr],
    [CQE_SYNDROME.rnrRetryExceeded, WC_STATUS.rnrRetryExcErr],
  ],
  WC_STATUS.generalErr,
);

export class CqeDecoder {
  /** Of the entry decoded last: its queue pair, or null; its slot in the ring, or -1; `CQE_PROBLEM` bits. */
  qp: HanguQp | null = null;
  slot = -1;
  problem = 0;

  readonly #qps: readonly (HanguQp | null)[];
  readonly #ids: RequestIds;
  readonly #rcRemoteQpn: boolean;

  /**
   * @param qps the host's queue pairs by number
   * @param rcRemoteQpn send completions of RC name the remote queue pair
   */
  constructor(qps: readonly (HanguQp | null)[], ids: RequestIds, rcRemoteQpn: boolean) {
    this.#qps = qps;
    this.#ids = ids;
    this.#rcRemoteQpn = rcRemoteQpn;
  }

  /** Decodes the entry at dword `at` of the byte store into `wc`. */
  decode(w: Int32Array, at: number, wc: WorkCompletion): void {
    const qpn = w[at] as number;
    const word7 = w[at + 7] as number;
    const opcode = word7 & 0xff;
    const direction = (word7 >>> 8) & 0xff;
    const send = direction === 1;
    let problem = direction > 1 ? CQE_PROBLEM.direction : 0;
    if (((word7 >>> 16) & 0xff) !== 0 || (w[at + 1] as number) !== 0) problem |= CQE_PROBLEM.reserved;
    wc.qpn = qpn;
    wc.srcQp = w[at + 2] as number;
    wc.isSend = send;
    wc.byteLen = (w[at + 5] as number) >>> 0;
    if (opcode === CQE_OPCODE_ERROR) this.#failure(w[at + 4] as number, send, wc);
    else {
      problem |= this.#success(opcode, send, wc);
      const imm = w[at + 4] as number;
      wc.imm = 0;
      if ((wc.flags & (WC_FLAG.withImm | WC_FLAG.withInv)) !== 0) wc.imm = imm >>> 0;
      else if (imm !== 0) problem |= CQE_PROBLEM.reserved;
      if (((w[at + 3] as number) & CQE_GRH_FLAG) !== 0) wc.flags |= WC_FLAG.grh;
    }
    this.problem = problem;
    this.#findRequest(qpn, w[at + 6] as number, send, wc);
  }

  #success(opcode: number, send: boolean, wc: WorkCompletion): number {
    wc.status = WC_STATUS.success;
    wc.vendorErr = 0;
    wc.opcode = (send ? SEND_OPCODE[opcode] : RECV_OPCODE[opcode]) as number;
    wc.flags = send ? 0 : flagOf(opcode);
    return wc.opcode === WC_OPCODE_UNKNOWN ? CQE_PROBLEM.opcode : 0;
  }

  #failure(word: number, send: boolean, wc: WorkCompletion): void {
    wc.status = STATUS_OF_SYNDROME[word & 0xff] as number;
    wc.vendorErr = (word >>> 8) & 0xff;
    wc.opcode = send ? WC_OPCODE.send : WC_OPCODE.recv;
    wc.flags = 0;
    wc.imm = 0;
  }

  /** The ring offset names the slot, the slot the request id. */
  #findRequest(qpn: number, offset: number, send: boolean, wc: WorkCompletion): void {
    const qp = this.#qps[qpn] ?? null;
    this.qp = qp;
    this.slot = -1;
    wc.wqeIndex = -1;
    wc.wrId = 0;
    if (qp === null) {
      this.problem |= CQE_PROBLEM.qp;
      return;
    }
    const shared = send ? null : qp.srq;
    const log = send ? qp.sqStrideLog : (shared ?? qp).rqStrideLog;
    const slot = offset >>> log;
    if (slot >= (send ? qp.sqSlots : (shared ?? qp).rqSlots) || (offset & ((1 << log) - 1)) !== 0) {
      this.problem |= CQE_PROBLEM.offset;
      return;
    }
    this.slot = slot;
    wc.wqeIndex = slot;
    if (send && !this.#rcRemoteQpn && qp.type === QP_TYPE.rc && wc.srcQp === 0) wc.srcQp = NOT_TOLD;
    const cells = send ? qp.sqCells : (shared ?? qp).rqCells;
    if (cells !== NO_CELLS) wc.wrId = this.#ids.get(cells + slot);
  }
}

/** What a receive says of the word that its message carried. */
function flagOf(opcode: number): number {
  if (opcode >= FIRST_INVALIDATION) return WC_FLAG.withInv;
  return (opcode & IMM_BIT) !== 0 ? WC_FLAG.withImm : 0;
}

function table(pairs: readonly (readonly [number, number])[], rest: number = WC_OPCODE_UNKNOWN): readonly number[] {
  const values = new Array<number>(256).fill(rest);
  for (const [index, value] of pairs) values[index] = value;
  return values;
}
