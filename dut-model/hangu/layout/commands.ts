/**
 * The HCR command interface (hangu-interface.md section 4, hangu-rtl-facts.md 2.3). Data only.
 *
 * HCR: seven dwords at BAR 0. 0-1 in_param high/low, 2 in_modifier, 3-4 out_param high/low, 5 token in [31:16],
 * 6 = status [31:24], go [23], event [22], op_modifier [19:12], opcode [11:0].
 */
export const HCR_DWORDS = 7;
export const HCR_GO = 1 << 23;
export const HCR_STATUS_SHIFT = 24;
export const HCR_OPMOD_SHIFT = 12;
export const HCR_OPCODE_MASK = 0xfff;
export const HCR_POLL_TOKEN = 0xffff_0000;

export const CMD = {
  queryDevLim: 0x003,
  queryAdapter: 0x006,
  initHca: 0x007,
  closeHca: 0x008,
  sw2hwMpt: 0x00d,
  queryMpt: 0x00e,
  hw2swMpt: 0x00f,
  writeMtt: 0x011,
  mapEq: 0x012,
  sw2hwEq: 0x013,
  hw2swEq: 0x014,
  sw2hwCq: 0x016,
  hw2swCq: 0x017,
  queryCq: 0x018,
  rst2init: 0x019,
  init2rtr: 0x01a,
  rtr2rts: 0x01b,
  rts2rts: 0x01c,
  sqerr2rts: 0x01d,
  twoErr: 0x01e,
  rts2sqd: 0x01f,
  sqd2rts: 0x020,
  err2rst: 0x021,
  queryQp: 0x022,
  resizeCq: 0x02c,
  init2init: 0x02d,
  nop: 0x031,
  sw2hwSrq: 0x035,
  hw2swSrq: 0x036,
  querySrq: 0x037,
  sqd2sqd: 0x038,
  armSrq: 0x040,
  unmapIcm: 0xff9,
  mapIcm: 0xffa,
} as const;
export const CMD_NAME: Readonly<Record<number, string>> = {
  3: 'QUERY_DEV_LIM',
  6: 'QUERY_ADAPTER',
  7: 'INIT_HCA',
  8: 'CLOSE_HCA',
  13: 'SW2HW_MPT',
  14: 'QUERY_MPT',
  15: 'HW2SW_MPT',
  17: 'WRITE_MTT',
  18: 'MAP_EQ',
  19: 'SW2HW_EQ',
  20: 'HW2SW_EQ',
  22: 'SW2HW_CQ',
  23: 'HW2SW_CQ',
  24: 'QUERY_CQ',
  25: 'RST2INIT',
  26: 'INIT2RTR',
  27: 'RTR2RTS',
  28: 'RTS2RTS',
  29: 'SQERR2RTS',
  30: '2ERR',
  31: 'RTS2SQD',
  32: 'SQD2RTS',
  33: 'ERR2RST',
  34: 'QUERY_QP',
  44: 'RESIZE_CQ',
  45: 'INIT2INIT',
  49: 'NOP',
  53: 'SW2HW_SRQ',
  54: 'HW2SW_SRQ',
  55: 'QUERY_SRQ',
  56: 'SQD2SQD',
  64: 'ARM_SRQ',
  4089: 'UNMAP_ICM',
  4090: 'MAP_ICM',
};

/** Status byte of a finished command (mthca's numbers; 0, 2, 3, 4 are the ones the hardware knows). */
export const CMD_STATUS = {
  ok: 0x00,
  internal: 0x01,
  badOp: 0x02,
  badParam: 0x03,
  badSysState: 0x04,
  badResource: 0x05,
  exceedsLimit: 0x08,
  badResourceState: 0x09,
  badIndex: 0x0a,
  badQpState: 0x10,
  regionBound: 0x21,
  badSize: 0x40,
} as const;
export const CMD_STATUS_NAME: Readonly<Record<number, string>> = {
  0: 'OK',
  1: 'INTERNAL_ERR',
  2: 'BAD_OP',
  3: 'BAD_PARAM',
  4: 'BAD_SYS_STATE',
  5: 'BAD_RESOURCE',
  8: 'EXCEED_LIM',
  9: 'BAD_RES_STATE',
  10: 'BAD_INDEX',
  16: 'BAD_QP_STATE',
  33: 'REG_BOUND',
  64: 'BAD_SIZE',
};

/** op_modifier of MAP_ICM and UNMAP_ICM: which tables the chunk serves. */
export const MAP_MODULE = { context: 1, translation: 2 } as const;
/** op_modifier of MODIFY_QP without an inbox ("any to reset/error"). */
export const MODIFY_NO_INBOX = 3;
/** Largest count of one MAP_ICM (pages; 12-bit field, 8 bits by the original driver) and of one WRITE_MTT. */
export const MAX_MTT_PER_COMMAND = 255;
export const MAX_ICM_PAGES_PER_CHUNK = 255;

/** Inbox sizes in bytes. */
export const INBOX_BYTES = { initHca: 64, mapIcm: 32, mpt: 64, cq: 64, eq: 64, qp: 192, resizeCq: 8, srq: 64 } as const;
export const OUTBOX_BYTES = { devLim: 64, adapter: 32, qp: 192, mpt: 64, cq: 64, eq: 64, srq: 64 } as const;

/** Entry sizes in ICM, bytes. */
export const ICM_ENTRY_BYTES = { qpc: 256, cqc: 64, eqc: 64, mpt: 64, mtt: 8, srqc: 64 } as const;
export const PAGE_BYTES = 4096;
/** QUERY_ADAPTER, bytes 24-31. */
export const BOARD_ID_HI = 0x0123_4567;
export const BOARD_ID_LO = 0x89ab_cdef | 0;
