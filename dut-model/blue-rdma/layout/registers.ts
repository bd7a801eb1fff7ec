/** Registers of BAR 0 (blue-rdma.md section 3): 32 bits each, byte addresses. Data only. */

export const BLUE_BAR = 0;

/** Per channel, from `CHANNEL_STRIDE * channel` on. The head of the send ring is the driver's, that of the report ring the NIC's. */
export const CHANNEL_STRIDE = 0x40;
export const SEND_RING = 0x00;
export const REPORT_RING = 0x10;
export const COMMAND_REQUEST_RING = 0x100;
export const COMMAND_RESPONSE_RING = 0x110;
export const RAW_SEND_RING = 0x140;
export const RAW_RECEIVE_RING = 0x150;

/** Registers of a ring, from its address on. */
export const RING_REGISTER = { baseLow: 0x0, baseHigh: 0x4, head: 0x8, tail: 0xc } as const;
export const RING_REGISTER_BYTES = 0x10;

export const REGISTER = {
  loopback: 0x180,
  lossSeed: 0x184,
  /** Of 2^32 draws, how many lose a frame that is sent. */
  lossThreshold: 0x188,
  /** Read only: what the NIC was built with. The last four are not published; a driver must know them somehow. */
  channels: 0x18c,
  ringDepth: 0x190,
  qpEntries: 0x194,
  mrEntries: 0x198,
  pageEntries: 0x19c,
} as const;

/** Counters of what a channel's receive queue has dropped, from `COUNTERS + COUNTERS_STRIDE * channel` on. */
export const COUNTERS = 0x400;
export const COUNTERS_STRIDE = 0x400;
export const COUNTER_OFFSET = {
  qpAccess: 0x00,
  opcode: 0x04,
  mrKey: 0x08,
  outOfBounds: 0x0c,
  mrAccess: 0x10,
  header: 0x14,
  qpContext: 0x18,
  length: 0x1c,
  unknown: 0x20,
  debug: 0x24,
  discarded: 0x80,
  toRaw: 0x84,
  toRdma: 0x88,
  notReady: 0x8c,
} as const;
export type CounterName = keyof typeof COUNTER_OFFSET;

/** Rings are aligned to this many bytes. */
export const RING_ALIGNMENT = 4096;
/** Descriptors of a ring that are read, and written, at once: within an aligned block of as many. */
export const READ_BLOCK = 16;
export const WRITE_BLOCK = 4;
export const LEAST_DEPTH = 16;
export const MOST_DEPTH = 4096;
