/**
 * What the NIC finds in queues, all little-endian (hangu-interface.md sections 6 to 8, with the corrections of
 * hangu-rtl-facts.md 1). Data only.
 *
 * Next segment (16 bytes, first of every WQE)
 *   DW0  [31:6] ring offset of the next WQE in 16-byte units, [5] filler (1 in the last RECV), [4:0] its opcode
 *   DW1  [7] doorbell, [6] fence of the next WQE, [5:0] its size in 16-byte units, 0 = end of list
 *   DW2  [21:14] own opcode, [13:6] own size, [3] CQ update, [2] event, [1] solicited, [0] filler (1 in the last RECV)
 *   DW3  immediate data
 * Remote address segment (16): VA (8), rkey (4), 0. Atomic segment (16): swap or add (8), compare (8). Data segment (16):
 *   byte count (bit 31 = inline), lkey, VA. Requests that change keys have one segment of their own (`BIND_SEG`, `REG_SEG`, `INVALIDATE_SEG`).
 * UD segment (48): DW0 [7:0] port, [15:8] hop limit, [23:16] GID index, [31] IPv6; DW1 dmac[15:0] << 16 | smac[15:0]; DW2 smac[47:16]; DW3 dmac[47:16];
 *   DW4 source IP, DW5 destination IP (with [31] of DW0 set, DW4-7 hold the destination GID); DW8 QPN; DW9 Q_Key; DW10 protection domain of
 *   the address handle; DW11 [31] what the handle says is there (else hop limit, GID index, DW10 and the rest of DW11 do not count, and
 *   the handle is plain and of the queue pair's domain), [27:20] traffic class, [19:0] flow label.
 * A RECV list ends with 16 zero bytes. A RECV slot whose first 16 bytes are zero is empty.
 */
export const WQE_UNIT = 16;
export const WQE_OPCODE = {
  sendInv: 0x01,
  write: 0x08,
  writeImm: 0x09,
  send: 0x0a,
  sendImm: 0x0b,
  read: 0x10,
  compareSwap: 0x11,
  fetchAdd: 0x12,
  bindMw: 0x18,
  regMr: 0x19,
  localInv: 0x1b,
} as const;

/** Whether a request of a send queue asks for data of the other side: READs and atomics. */
export function isFetch(opcode: number): boolean {
  return opcode >= WQE_OPCODE.read && opcode <= WQE_OPCODE.fetchAdd;
}

/** Whether a request of a send queue is an atomic. */
export function isAtomic(opcode: number): boolean {
  return opcode > WQE_OPCODE.read && opcode <= WQE_OPCODE.fetchAdd;
}

/** Whether a request of a send queue changes what a key opens, and sends nothing. */
export function changesKey(opcode: number): boolean {
  return opcode >= WQE_OPCODE.bindMw;
}

/** Bind segment, 32 bytes, and its dwords. */
export const BIND_SEG = {
  units: 2,
  /** Atomic 31, remote WRITE 30, remote READ 29. */
  rights: 0,
  atomic: 1 << 31,
  remoteWrite: 1 << 30,
  remoteRead: 1 << 29,
  flags: 1,
  type2: 1 << 31,
  zeroBased: 1 << 30,
  newKey: 2,
  regionKey: 3,
  addressLo: 4,
  addressHi: 5,
  lengthLo: 6,
  lengthHi: 7,
} as const;

/** Fast-registration segment, 48 bytes, and its dwords; rights as in an MPT entry. The page list holds physical addresses, 8 bytes each. */
export const REG_SEG = {
  units: 3,
  rights: 0,
  key: 1,
  listLo: 2,
  listHi: 3,
  startLo: 4,
  startHi: 5,
  lengthLo: 6,
  lengthHi: 7,
  /** Of the first byte in its page. */
  offset: 8,
  logPage: 9,
} as const;
/** Bytes of an entry of a page list, and of the longest list: a page. */
export const PAGE_LIST = { entryBytes: 8, mostPages: 512 } as const;

/** Local-invalidate segment, 16 bytes: its first dword is the key. */
export const INVALIDATE_SEG = { units: 1, key: 0 } as const;

export const NEXT_SEG = {
  /** DW0 */
  offsetShift: 6,
  filler0: 1 << 5,
  opcodeMask: 0x1f,
  /** DW1 */
  fence: 1 << 6,
  sizeMask: 0x3f,
  /** DW2 */
  ownOpcodeShift: 14,
  ownSizeShift: 6,
  cqUpdate: 1 << 3,
  event: 1 << 2,
  solicited: 1 << 1,
  filler2: 1,
} as const;

export const SEGMENT_UNITS = { next: 1, remoteAddress: 1, data: 1, ud: 3, atomic: 1 } as const;
export const UD_SEG = {
  port: 0,
  macLow: 4,
  smacHigh: 8,
  dmacHigh: 12,
  sip: 16,
  dip: 20,
  qpn: 32,
  qkey: 36,
  pd: 40,
  attributes: 44,
  ipv6Flag: 1 << 31,
  hopLimitShift: 8,
  gidIndexShift: 16,
  /** DW11 */
  attributesFlag: 1 << 31,
  trafficClassShift: 20,
  flowLabelMask: 0xf_ffff,
} as const;
export const DATA_SEG_INLINE = 1 << 31;

/** Send doorbell, two dwords: DW0 [31:8] ring offset / 16, [5] fence, [4:0] opcode; DW1 [31:8] QPN, [7:0] size / 16. */
export const SEND_DB = { offsetShift: 8, fence: 1 << 5, opcodeMask: 0x1f, qpnShift: 8, sizeMask: 0xff } as const;
/**
 * Arm doorbells, one dword each: CQ arm [31] solicited only, [30:13] consumer index, [12:0] CQN, and the same without arming as the
 * index doorbell; EQ arm [31:8] consumer
 * index, [4:0] EQN. The published CQ doorbell has no index; without it a completion that is written while the doorbell
 * is on its way would raise no event.
 */
export const ARM_DB = {
  solicitedOnly: 1 << 31,
  cqnMask: 0x1fff,
  cqConsumerShift: 13,
  cqConsumerMask: 0x3_ffff,
  eqnMask: 0x1f,
  consumerShift: 8,
} as const;

/** Completion queue entry, 32 bytes. */
export const CQE_BYTES = 32;
export const CQE = {
  myQpn: 0,
  myEe: 4,
  remoteQpn: 8,
  slIpok: 12,
  mlpath: 13,
  rlid: 14,
  /** Success: immediate data. Error: syndrome in byte 16, vendor error in byte 17. */
  immediate: 16,
  syndrome: 16,
  vendorErr: 17,
  byteCount: 20,
  /** Byte offset of the WQE in its ring. */
  wqe: 24,
  opcode: 28,
  isSend: 29,
  owner: 31,
} as const;
export const CQE_OWNER_HW = 0x80;
export const CQE_OPCODE_ERROR = 0xff;
/** Receive opcodes: low five bits of the last packet's BTH opcode. */
export const CQE_RECV_OPCODE = {
  sendLast: 2,
  sendLastImm: 3,
  sendOnly: 4,
  sendOnlyImm: 5,
  writeLastImm: 9,
  writeOnlyImm: 0x0b,
  sendLastInv: 0x16,
  sendOnlyInv: 0x17,
} as const;
/** Set in `slIpok` when a 40-byte GRH area precedes the payload in the receive buffer. */
export const CQE_GRH_FLAG = 0x80;

/** Error syndromes (hangu-rtl-facts.md 4.7). */
export const CQE_SYNDROME = {
  localLength: 0x01,
  localQpOperation: 0x02,
  localProtection: 0x04,
  flush: 0x05,
  mwBind: 0x06,
  badResponse: 0x10,
  localAccess: 0x11,
  remoteInvalidRequest: 0x12,
  remoteAccess: 0x13,
  remoteOperation: 0x14,
  retryExceeded: 0x15,
  rnrRetryExceeded: 0x16,
} as const;

/** Event queue entry, 32 bytes, little-endian: DW0 [31:24] owner (0 = software), [23:16] type; DW1 CQN or QPN. */
export const EQE_BYTES = 32;
export const EQE = { number: 4, type: 2, owner: 3, syndrome: 8 } as const;
/** Syndrome of `EVENT_TYPE.cqError`, in byte 8: the queue has overflowed; 0 for other reasons. */
export const CQ_OVERFLOW = 1;
export const EQE_OWNER_HW = 0x80;
export const EVENT_TYPE = {
  completion: 0x00,
  commEstablished: 0x02,
  sqDrained: 0x03,
  cqError: 0x04,
  wqCatastrophic: 0x05,
  localCatastrophic: 0x08,
  portChange: 0x09,
  invalidRequest: 0x10,
  accessViolation: 0x11,
  srqError: 0x12,
  lastWqe: 0x13,
  srqLimit: 0x14,
} as const;

/** Largest WQEs, bytes: send queue 512, receive queue 31 units. */
export const MAX_SEND_WQE = 512;
export const MAX_RECV_WQE = 31 * 16;
/** Reads of the receive queue fetch this much at once. */
export const RECV_PREFETCH = 512;
