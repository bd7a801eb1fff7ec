/**
 * Context images: byte offset and width of each field in the command mailboxes, all big-endian
 * (hangu-interface.md 4.4 to 4.8). A field is [offset, bytes]; 8-byte fields are two halves, high first.
 *
 * The queue-pair image has a few fields in bytes that the published layout leaves zero (`ext*`). They carry what a
 * reliable transport needs and the published context has no room for. `extFlags` bit 7 says that they are there;
 * without it a NIC uses: all access allowed, 7 retries, 16 outstanding READs each way.
 */
export type Field = readonly [offset: number, bytes: 1 | 2 | 4 | 8];

/** Outbox of QUERY_DEV_LIM. `log`: a logarithm to the base of two; `Bytes`: of an entry or a descriptor. */
export const DEV_LIM_FIELD = {
  reservedQps: [0, 1],
  logMaxQueueDepth: [8, 2],
  logMaxCqEntries: [10, 2],
  logMaxQps: [12, 1],
  logMaxCqs: [13, 1],
  logMaxEqs: [14, 1],
  logMaxMpts: [15, 1],
  logMaxPds: [16, 1],
  logMaxPkeys: [19, 1],
  maxMttSeg: [21, 1],
  qpcBytes: [24, 2],
  cqcBytes: [26, 2],
  eqcBytes: [28, 2],
  mptBytes: [30, 2],
  mtuPortWidth: [33, 1], // [7:4] code of the largest MTU, [3:0] port width
  vlsPorts: [35, 1], // [7:4] largest virtual lane, [3:0] ports
  logMinPage: [37, 1],
  maxSge: [41, 1],
  sendWqeBytes: [42, 2],
  maxSgeRecv: [45, 1],
  recvWqeBytes: [46, 2],
  maxIcmHigh: [48, 4],
  maxIcmLow: [52, 4],
  /** 0 unless asked for (`EXTENDED_LIMITS`). */
  extLogMaxSrqs: [56, 1],
  extLogMaxSrqDepth: [57, 1],
  /** `MEMORY_EXT` bits. */
  extMemory: [58, 1],
  extLogMaxWindows: [59, 1],
} as const satisfies Record<string, Field>;

/** Outbox of QUERY_ADAPTER. */
export const ADAPTER_FIELD = {
  boardIdHigh: [24, 4],
  boardIdLow: [28, 4],
} as const satisfies Record<string, Field>;

export const INIT_HCA_FIELD = {
  /** Where results of atomics are kept (ackQueue.ts), a multiple of 4 GiB; zero, as in the published
   * harness, for the usual place (`AQ_AREA`). */
  extAckQueues: [0, 4],
  /** `INIT_EXT` bits; zero in the published harness. */
  extFlags: [4, 4],
  qpcBase: [8, 8], // low byte = log_num_qps
  cqcBase: [16, 8], // low byte = log_num_cqs
  eqcBase: [24, 8], // low byte = log_num_eqs
  /** Port GID for IPv6; zero in the published harness. */
  extPortGid0: [32, 4],
  extPortGid1: [36, 4],
  extPortGid2: [40, 4],
  extPortGid3: [44, 4],
  mptBase: [48, 8], // low byte = log_mpt_sz
  mttBase: [56, 8],
} as const satisfies Record<string, Field>;

/** What software asks of a NIC that the published one does not have. */
export const INIT_EXT = {
  /** Keys are index << 8 | tag (`KEY_TAG_BITS`); without, a key is its index. What changes keys by requests needs it. */
  taggedKeys: 1,
  /** Software says how many completions it has taken (`DOORBELL.cqIndex`, and as it arms): queues that overflow are found. */
  cqIndices: 2,
  /** log2 of the number of shared receive queues, 0 = none. */
  logSrqsShift: 8,
  logSrqsMask: 0xff,
} as const;

/** In QUERY_DEV_LIM: memory windows of type 1, 2A and 2B, and regions that are registered by requests. */
export const MEMORY_EXT = { windows1: 1, windows2a: 2, windows2b: 4, fastRegistration: 8 } as const;

/** Where keys have tags: bits of those. */
export const KEY_TAG_BITS = 8;

export const MPT_FIELD = {
  flags: [0, 4],
  pageSize: [4, 4],
  key: [8, 4],
  pd: [12, 4],
  start: [16, 8],
  length: [24, 8],
  lkey: [32, 4],
  windowCount: [36, 4],
  windowCountLimit: [40, 4],
  mttSeg: [44, 8],
  mttSz: [52, 4],
  /** Queue pair that a window of type 2 is bound to. */
  extQpn: [56, 4],
} as const satisfies Record<string, Field>;

/** MPT flags: 0xF002_01xx = software owned (top nibble), MIO (bit 17), region (bit 8), permissions in the low byte. */
export const MPT_FLAGS_BASE = 0xf002_0100 | 0;
export const MPT_PERMISSION = {
  localWrite: 1,
  remoteWrite: 2,
  remoteRead: 4,
  remoteAtomic: 8,
  mwBind: 16,
  zeroBased: 32,
} as const;

/**
 * MPT flags of what requests change: bit 8 clear = a window; nothing is opened as long as it is free. The published word uses none of
 * bits 13 to 10.
 */
export const MPT_KIND = {
  region: 1 << 8,
  fastRegistrable: 1 << 10,
  remoteInvalidate: 1 << 11,
  type2: 1 << 12,
  free: 1 << 13,
} as const;
/** Flags word of a window and of a region that requests register, as software hands them over: free. */
export const MPT_FLAGS_WINDOW = (MPT_FLAGS_BASE & ~MPT_KIND.region) | MPT_KIND.free;
export const MPT_FLAGS_FAST = MPT_FLAGS_BASE | MPT_KIND.fastRegistrable | MPT_KIND.remoteInvalidate | MPT_KIND.free;

export const CQC_FIELD = {
  flags: [0, 4],
  start: [4, 8],
  logSize: [12, 1],
  usrPage: [13, 1], // 24 bits at 13..15; only the low byte of it is a page number below 256: see usrPageLow
  usrPageLow: [14, 2],
  compEqn: [16, 4],
  pd: [20, 4],
  lkey: [24, 4],
  // Of SW2HW_CQ: where the queue begins to count, zero in the published harness. Of QUERY_CQ: what the NIC has counted, and was told.
  solicitedIndex: [32, 4],
  consumerIndex: [36, 4],
  producerIndex: [40, 4],
  cqn: [44, 4],
} as const satisfies Record<string, Field>;
export const CQC_FLAGS = 0x0004_0000;
/** In the flags of a completion queue: it may overflow unnoticed; status [31:28]. */
export const CQC_IGNORES_OVERRUN = 1 << 17;
export const CQC_STATUS = { shift: 28, ok: 0, overflow: 9 } as const;

export const EQC_FIELD = {
  flags: [0, 4],
  start: [4, 8],
  logSize: [12, 1],
  msixVector: [23, 1],
  pd: [24, 4],
  lkey: [28, 4],
  consumerIndex: [40, 4],
  producerIndex: [44, 4],
} as const satisfies Record<string, Field>;

export const QPC_FIELD = {
  optParamMask: [0, 4],
  flags: [8, 4], // [31:28] state, [23:16] service type
  mtuMsgmax: [12, 1], // [7:5] MTU code, [4:0] log2 of the largest message
  rqEntrySizeLog: [13, 1],
  sqEntrySizeLog: [14, 1],
  schedQueue: [15, 1],
  usrPage: [16, 4],
  localQpn: [20, 4],
  remoteQpn: [24, 4],
  portPkey: [28, 4],
  rnrRetry: [32, 1], // [7:5]
  gMylmc: [33, 1], // bit 7: IPv6, address in rgid
  ackTimeout: [36, 1], // [7:3]
  mgidIndex: [37, 1],
  staticRate: [38, 1],
  hopLimit: [39, 1],
  slTclassFlowlabel: [40, 4],
  rgid0: [44, 4],
  rgid1: [48, 4],
  rgid2: [52, 4],
  rgid3: [56, 4],
  dmacLow: [60, 2],
  smacLow: [62, 2],
  smacHigh: [64, 4],
  dmacHigh: [68, 4],
  sip: [72, 4],
  dip: [76, 4],
  extFlags: [80, 1], // bit 7: extension present; bit 6: selective signalling; bits 4 and 3: bit 8 of the two limits; bits 2:0 allowed remote WRITE (1), READ (2), atomic (4)
  extRetryCount: [81, 1],
  extMaxRdAtomic: [82, 1],
  extMaxDestRdAtomic: [83, 1],
  /** `QPC_HAS_SRQ` and the number of the queue; the fields of the receive ring count no more then. */
  extSrqn: [84, 4],
  pd: [92, 4],
  wqeBase: [96, 4],
  wqeLkey: [100, 4],
  nextSendPsn: [108, 4],
  cqnSnd: [112, 4],
  sndWqeKey: [116, 4],
  sndWqeLen: [120, 4],
  lastAckedPsn: [124, 4],
  ssn: [128, 4],
  rnrNextRecvPsn: [132, 4], // [31:24] minimum RNR timer code, [23:0] expected PSN
  raBuffIndex: [136, 4],
  cqnRcv: [140, 4],
  rcvWqeKey: [144, 4],
  rcvWqeLen: [148, 4],
  qkey: [152, 4],
  rmsn: [156, 4],
  rqWqeCounter: [188, 2],
  sqWqeCounter: [190, 2],
} as const satisfies Record<string, Field>;
export const QPC_BYTES = 192;

export const QPC_EXT = {
  present: 0x80,
  /** Only requests with the CQ bit in their next segment complete, and those that fail. Clear: every request completes. */
  selectiveSignal: 0x40,
  /** Bit 8 of `extMaxDestRdAtomic` and of `extMaxRdAtomic`: 256 of them. */
  manyAnswers: 0x10,
  manyReads: 0x08,
  remoteWrite: 1,
  remoteRead: 2,
  remoteAtomic: 4,
} as const;

/** Service type codes in the context: not those of verbs. */
export const QPC_SERVICE = { rc: 0, uc: 1, rd: 2, ud: 3, raw: 7 } as const;
/** State codes in the context; SQE 4 and SQD 5 as documented (the published RTL exchanges them). */
export const QPC_STATE = { rst: 0, init: 1, rtr: 2, rts: 3, sqe: 4, sqd: 5, err: 6 } as const;
