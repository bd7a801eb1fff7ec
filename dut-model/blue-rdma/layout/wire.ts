/**
 * Frames of blue-rdma (blue-rdma.md section 8). Data only: the NIC, its driver and the judge have a codec each.
 * Offsets count from the first byte of the frame; all fields are in network byte order.
 */

export const FRAME = {
  destMac: 0,
  sourceMac: 6,
  etherType: 12,
  ip: 14,
  udp: 34,
  bth: 42,
  extension: 54,
  /** Pad bytes, as many as the remote address modulo 4, stand between here and the payload. */
  payload: 96,
} as const;

/** Bytes of a driver's acknowledgement: without the spare bytes behind its extension. */
export const DRIVER_ACK_BYTES = 90;

/** BTH, from its first byte on. */
export const BLUE_BTH = {
  opcode: 0,
  flags: 1,
  /** Of `flags`. */
  solicited: 0x80,
  retry: 0x40,
  /** Lower four bits of `flags`. */
  versionMask: 0x0f,
  msn: 2,
  congestion: 4,
  becn: 0x40,
  destQpn: 5,
  ackRequest: 8,
  ackRequestBit: 0x80,
  psn: 9,
} as const;

/** Extensions, from the first byte of the extension area on. */
export const RETH = { va: 0, rkey: 8, length: 12 } as const;
export const IMMEDIATE_AT = 16;
export const RRETH = { va: 16, lkey: 24 } as const;
/** Bitmaps are 128-bit numbers, highest byte first. */
export const WINDOW_ETH = {
  before: 0,
  now: 16,
  flags: 32,
  lost: 0x80,
  slid: 0x40,
  byDriver: 0x20,
  psnBefore: 33,
} as const;

/** UDP source port of a NIC's own acknowledgements, unless a queue pair is given another. */
export const DEFAULT_UDP_PORT = 0x100;
/** Transport of congestion notifications; its only opcode. */
export const CNP_OPCODE = 0x81;
/** ECN field of the type of service: capable, and congestion experienced. */
export const ECN = { mask: 3, capable: 2, experienced: 3 } as const;
