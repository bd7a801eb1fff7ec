/**
 * Descriptors of the rings (blue-rdma.md section 5): 32 bytes, eight little-endian 32-bit words. Data only: the NIC and
 * its driver each have a codec of their own.
 *
 * The specification names four 64-bit words c0 .. c3; word 2n here is the lower half of cn, word 2n + 1 the upper one.
 * A field is given as its word and, where it does not fill that, the shift and the mask of its lowest bits.
 */

export const DESCRIPTOR_BYTES = 32;
export const DESCRIPTOR_WORDS = 8;

/** Word 7 of every descriptor. */
export const HEADER = {
  word: 7,
  opcodeShift: 16,
  opcodeMask: 0xff,
  extended: 1 << 24,
  hasNext: 1 << 30,
  valid: 1 << 31,
} as const;

/** Opcodes of send descriptors: numbers of verbs, and two more. */
export const SEND_OPCODE = { write: 0, writeImm: 1, send: 2, sendImm: 3, read: 4, readResponse: 12 } as const;

/** Send flags, as in verbs; `signaled` asks for an acknowledgement of every packet. */
export const SEND_DESCRIPTOR_FLAG = { fence: 1, signaled: 2, solicited: 4, inline: 8 } as const;

/**
 * Send ring, first descriptor of a pair
 *   w0 [7:3] flags, [31:8] destination QPN; w1 [7:4] type of the queue pair, [31:8] PSN of the first packet
 *   w2 w3 remote address; w4 IPv4 address of the peer; w5 rkey; w6 bytes of the whole message; w7 [15:0] MSN
 */
export const SEND_0 = {
  flags: { word: 0, shift: 3, mask: 0x1f },
  destQpn: { word: 0, shift: 8 },
  type: { word: 1, shift: 4, mask: 0xf },
  psn: { word: 1, shift: 8 },
  remoteLo: 2,
  remoteHi: 3,
  destIp: 4,
  rkey: 5,
  total: 6,
  msn: { word: 7, mask: 0xffff },
} as const;

/**
 * Second descriptor of a pair
 *   w0 w1 local address; w2 bytes of the chunk; w3 lkey; w4 [15:0] source QPN [23:8], [31:16] MAC [15:0]; w5 MAC [47:16]
 *   w6 immediate; w7 [7:0] source QPN [7:0], [9] ECN, [10] sent again, [11] last, [12] first chunk, [15:13] PMTU code
 */
export const SEND_1 = {
  localLo: 0,
  localHi: 1,
  length: 2,
  lkey: 3,
  sourceAndMac: 4,
  macHigh: 5,
  imm: 6,
  ecn: 1 << 9,
  retry: 1 << 10,
  last: 1 << 11,
  first: 1 << 12,
  pmtuShift: 13,
  pmtuMask: 7,
} as const;

/**
 * Report of a packet; the opcode is that of its BTH
 *   w0 immediate; w1 rkey; w2 w3 remote address of the packet; w4 bytes of the message; w5 [31:8] local QPN
 *   w6 [4] sent again, [5] acknowledgement asked for, [6] solicited, [7] congestion, [31:8] PSN; w7 [15:0] MSN
 * Its second descriptor, of a READ request
 *   w3 lkey of the requester; w4 w5 its local address; w6 bytes
 */
export const PACKET_REPORT = {
  imm: 0,
  rkey: 1,
  vaLo: 2,
  vaHi: 3,
  total: 4,
  qpn: { word: 5, shift: 8 },
  retry: 1 << 4,
  ackRequest: 1 << 5,
  solicited: 1 << 6,
  congestion: 1 << 7,
  psn: { word: 6, shift: 8 },
  msn: { word: 7, mask: 0xffff },
} as const;
export const READ_REPORT = { lkey: 3, localLo: 4, localHi: 5, total: 6 } as const;

/**
 * Report of a bitmap
 *   w0 .. w3 bitmap now, lowest bits first; w4 [15:0] sequence number, [31:16] QPN [15:0]
 *   w5 [7:0] QPN [23:16], [31:8] PSN now; w6 [31:8] PSN before; w7 flags
 * Its second descriptor
 *   w0 .. w3 bitmap before
 */
export const WINDOW_REPORT = {
  sequence: { word: 4, mask: 0xffff },
  qpnLow: { word: 4, shift: 16 },
  qpnHigh: { word: 5, mask: 0xff },
  psnNow: { word: 5, shift: 8 },
  psnBefore: { word: 6, shift: 8 },
  lost: 1 << 8,
  slid: 1 << 9,
  byDriver: 1 << 10,
  byLocalHardware: 1 << 11,
} as const;

export const COMMAND_OPCODE = {
  updateMrTable: 0,
  updatePageTable: 1,
  manageQp: 2,
  setNetwork: 3,
  setRawReceive: 4,
  setPsnFloor: 5,
} as const;
export const COMMAND_NAME = [
  'UpdateMrTable',
  'UpdatePGT',
  'ManageQp',
  'SetNetworkParam',
  'SetRawPacketReceiveMeta',
  'SetPsnFloor',
] as const;

/** Word 7 of requests and responses. */
export const COMMAND = { tagMask: 0xff, success: 1 << 8 } as const;
/** w0 [23:7] first page entry, [31:24] access; w1 protection domain; w2 key; w3 bytes, 0 = no more; w4 w5 base. */
export const MR_COMMAND = {
  pageShift: 7,
  pageMask: 0x1_ffff,
  accessShift: 24,
  pd: 1,
  key: 2,
  length: 3,
  baseLo: 4,
} as const;
/** w2 entries - 1; w3 first index; w4 w5 address of an array of 8-byte page addresses. */
export const PAGE_COMMAND = { countMinusOne: 2, first: 3, addressLo: 4, addressHi: 5 } as const;
/** Bytes within which the array must lie, and its alignment. */
export const PAGE_ARRAY_ALIGNMENT = 512;
/** Entries that the driver sends with a command. */
export const PAGES_PER_COMMAND = 16;
/**
 * w0 peer MAC [31:0]; w1 [15:0] peer MAC [47:32], [31:16] local UDP port; w2 [23:21] PMTU code, [31:28] type
 * w3 [7:0] access, [31:8] peer QPN; w4 [23:0] first PSN, a multiple of 16; w5 [23:0] QPN, [30] error, [31] valid; w6 peer IP
 */
export const QP_COMMAND = {
  macLow: 0,
  macHighAndPort: 1,
  pmtuShift: 21,
  typeShift: 28,
  accessMask: 0xff,
  startPsn: 4,
  qpn: 5,
  error: 1 << 30,
  valid: 1 << 31,
  peerIp: 6,
} as const;
/** w0 [31:16] own MAC [15:0]; w1 MAC [47:16]; w3 IPv4 address; w4 netmask; w5 gateway. */
export const NETWORK_COMMAND = { macLow: 0, macHigh: 1, ip: 3, netmask: 4, gateway: 5 } as const;
/** w4 w5 address of the receive slots. */
export const RAW_COMMAND = { baseLo: 4, baseHi: 5 } as const;
/** w2 [23:0] floor; w5 [23:0] QPN. */
export const FLOOR_COMMAND = { floor: 2, qpn: 5 } as const;

/** Raw frames. Sent: w4 w5 address, w6 bytes. Received: w5 slot, w6 bytes. */
export const RAW_DESCRIPTOR = { addressLo: 4, addressHi: 5, slot: 5, length: 6 } as const;
export const RAW_SLOT_BYTES = 2048;
export const MOST_RAW_SLOTS = 1024;
/** Longest raw frame, without FCS. */
export const MAX_RAW_FRAME = 1514;
