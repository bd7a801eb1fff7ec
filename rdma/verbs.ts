/**
 * Verbs vocabulary: numbers as in libibverbs, so that logs and scenario files read as users expect.
 * Data only. Sections of `roce-transport.md` are named where a table comes from one.
 */

/** `raw`: the frames of software, as IBV_QPT_RAW_PACKET. @public */
export const QP_TYPE = { rc: 2, uc: 3, ud: 4, raw: 8 } as const;
/** @public */
export type QpType = (typeof QP_TYPE)[keyof typeof QP_TYPE];
/** @public */
export const QP_TYPE_NAME: Readonly<Record<number, string>> = { 2: 'RC', 3: 'UC', 4: 'UD', 8: 'RAW' };
/** Types whose messages are packets of a transport. @public */
export type TransportType = Exclude<QpType, typeof QP_TYPE.raw>;

/** Section 6.1. @public */
export const QP_STATE = { reset: 0, init: 1, rtr: 2, rts: 3, sqd: 4, sqe: 5, err: 6 } as const;
/** @public */
export type QpState = (typeof QP_STATE)[keyof typeof QP_STATE];
/** @public */
export const QP_STATE_NAME = ['RESET', 'INIT', 'RTR', 'RTS', 'SQD', 'SQE', 'ERR'] as const;

/** Section 5.2, first column. @public */
export const WR_OPCODE = {
  rdmaWrite: 0,
  rdmaWriteWithImm: 1,
  send: 2,
  sendWithImm: 3,
  rdmaRead: 4,
  atomicCmpAndSwp: 5,
  atomicFetchAndAdd: 6,
  localInv: 7,
  bindMw: 8,
  sendWithInv: 9,
  regMr: 10,
} as const;
/** Whether a request changes a key and puts nothing on the wire: LOCAL_INV, BIND_MW and REG_MR. @public */
export function sendsNothing(opcode: number): boolean {
  return opcode >= WR_OPCODE.localInv && opcode !== WR_OPCODE.sendWithInv;
}
/** @public */
export const WR_OPCODE_NAME = [
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_READ',
  'ATOMIC_CMP_AND_SWP',
  'ATOMIC_FETCH_AND_ADD',
  'LOCAL_INV',
  'BIND_MW',
  'SEND_WITH_INV',
  'REG_MR',
] as const;

/** Section 5.2, completion opcodes. @public */
export const WC_OPCODE = {
  send: 0,
  rdmaWrite: 1,
  rdmaRead: 2,
  compSwap: 3,
  fetchAdd: 4,
  bindMw: 5,
  localInv: 6,
  regMr: 7,
  recv: 128,
  recvRdmaWithImm: 129,
} as const;

/** For example `RECV_RDMA_WITH_IMM`. @public */
export function wcOpcodeName(opcode: number): string {
  const name = Object.entries(WC_OPCODE).find(([, value]) => value === opcode)?.[0];
  return name?.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase() ?? `opcode ${opcode}`;
}

/**
 * Bit of a datagram's Q_Key that asks for the Q_Key of the sending queue pair instead; the others do not count then.
 * @public
 */
export const OWN_QKEY = 0x8000_0000 | 0;

/** Completion opcode of each `WR_OPCODE`. @public */
export const WC_OF_WR = [1, 1, 0, 0, 2, 3, 4, 6, 5, 0, 7] as const;

/** @public */
export const WC_FLAG = { grh: 1, withImm: 2, ipCsumOk: 4, withInv: 8 } as const;
/** @public */
export const SEND_FLAG = { fence: 1, signaled: 2, solicited: 4, inline: 8 } as const;

/** Section 5.1. @public */
export const WC_STATUS = {
  success: 0,
  locLenErr: 1,
  locQpOpErr: 2,
  locEecOpErr: 3,
  locProtErr: 4,
  wrFlushErr: 5,
  mwBindErr: 6,
  badRespErr: 7,
  locAccessErr: 8,
  remInvReqErr: 9,
  remAccessErr: 10,
  remOpErr: 11,
  retryExcErr: 12,
  rnrRetryExcErr: 13,
  fatalErr: 19,
  generalErr: 21,
} as const;
/** @public */
export const WC_STATUS_NAME: Readonly<Record<number, string>> = {
  0: 'SUCCESS',
  1: 'LOC_LEN_ERR',
  2: 'LOC_QP_OP_ERR',
  3: 'LOC_EEC_OP_ERR',
  4: 'LOC_PROT_ERR',
  5: 'WR_FLUSH_ERR',
  6: 'MW_BIND_ERR',
  7: 'BAD_RESP_ERR',
  8: 'LOC_ACCESS_ERR',
  9: 'REM_INV_REQ_ERR',
  10: 'REM_ACCESS_ERR',
  11: 'REM_OP_ERR',
  12: 'RETRY_EXC_ERR',
  13: 'RNR_RETRY_EXC_ERR',
  19: 'FATAL_ERR',
  21: 'GENERAL_ERR',
};

/** Access rights, as IBV_ACCESS_*. Local read is implied. @public */
export const ACCESS = {
  localWrite: 1,
  remoteWrite: 2,
  remoteRead: 4,
  remoteAtomic: 8,
  mwBind: 16,
  zeroBased: 32,
} as const;

/** Path MTU codes 1 .. 5 and their bytes; index 0 is unused (section 1.7). @public */
export const MTU_BYTES = [0, 256, 512, 1024, 2048, 4096] as const;

/** Asynchronous events, section 5.6. @public */
export const ASYNC_EVENT = {
  cqErr: 0,
  qpFatal: 1,
  qpReqErr: 2,
  qpAccessErr: 3,
  commEst: 4,
  sqDrained: 5,
  deviceFatal: 8,
  portActive: 9,
  portErr: 10,
  srqErr: 14,
  srqLimitReached: 15,
  lastWqeReached: 16,
} as const;
/** Names of asynchronous events, for messages. @public */
export const ASYNC_EVENT_NAME: Readonly<Record<number, string>> = {
  0: 'CQ_ERR',
  1: 'QP_FATAL',
  2: 'QP_REQ_ERR',
  3: 'QP_ACCESS_ERR',
  4: 'COMM_EST',
  5: 'SQ_DRAINED',
  8: 'DEVICE_FATAL',
  9: 'PORT_ACTIVE',
  10: 'PORT_ERR',
  14: 'SRQ_ERR',
  15: 'SRQ_LIMIT_REACHED',
  16: 'QP_LAST_WQE_REACHED',
};

/** Bytes of the area that a UD receive buffer holds in front of the payload (section 4.6). @public */
export const GRH_BYTES = 40;
/**
 * Bytes of an Ethernet header, without check sequence; of the shortest frame; and what a frame has beyond an MTU, with a VLAN tag.
 * @public
 */
export const ETHERNET_HEADER_BYTES = 14;
/** @public */
export const SHORTEST_FRAME = 60;
/** @public */
export const RAW_FRAME_OVERHEAD = 18;
/** Bytes of the word that an atomic changes (section 3.10). @public */
export const ATOMIC_BYTES = 8;
/** Largest message, bytes (section 1.7). @public */
export const MAX_MESSAGE = 0x8000_0000;
