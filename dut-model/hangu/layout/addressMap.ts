/**
 * Where things lie on the bus of a HanGu NIC (hangu-interface.md section 3). Data only.
 *
 * Host physical addresses are 64 bits: process id in [58:48] (0 = kernel), then the area. Virtual addresses are the
 * same with [63:48] cleared. All values below are upper halves (`Hi`, bits [63:32]) or lower halves of addresses.
 */

/** BARs and the registers in them. */
export const BAR = { registers: 0, doorbell: 2 } as const;
export const REG = { hcr: 0x0000, softReset: 0x0f10, initDone: 0x0f20, msix: 0x5400 } as const;
/** An entry of the MSI-X table, bytes: address low and high, data, control; bit 0 of that masks the vector. */
export const MSIX_ENTRY = { address: 0, data: 8, control: 12, bytes: 16 } as const;
export const MSIX_MASKED = 1;
/** Offsets within a process's 4 KiB doorbell page; the page of process p starts at p * 0x1000. */
export const DOORBELL = { send: 0x000, armCq: 0x010, armEq: 0x020, cqIndex: 0x030, srq: 0x040 } as const;
export const DOORBELL_PAGE = 0x1000;
export const MAX_PROCESSES = 2048;

/** Mailboxes of the command interface, in the kernel's part of memory. */
export const INBOX_LO = 0x1234_1000;
export const OUTBOX_LO = 0x1234_2000;
/** Event queue buffers: kernel area, one 64 KiB window per EQ. Not in the published map, which has no events. */
export const EQ_AREA_LO = 0x2000_0000;
/** Where MSI-X messages are written: vector v to this address + 16 * v. Kernel area, outside every buffer. */
export const MSIX_AREA_LO = 0xfee0_0000 | 0;

/** ICM: virtual base of each table (upper half; the lower one is 0), physical = virtual + 0x1000_0000_0000. */
export const ICM_BASE_HI = { mtt: 0x0000, qpc: 0x1000, cqc: 0x2000, mpt: 0x3000, eqc: 0x4000, srqc: 0x6000 } as const;
export const ICM_PHYSICAL_OFFSET_HI = 0x1000;
export type IcmTable = keyof typeof ICM_BASE_HI;

/** Completion queue c: [47:33] = 1, [32:20] = c, 1 MiB each. */
export const CQ_AREA = { hi: 0x2, cqnShift: 20, bytes: 0x10_0000 } as const;
/** Work queues of QP q: [47:38] = 1, [37:24] = q, [23] = 0 SQ, 1 RQ; 8 MiB each. */
export const QUEUE_AREA = { hi: 0x40, qpnShift: 24, rqOffset: 0x80_0000, bytes: 0x80_0000 } as const;
/** Page lists of registrations that QP q asks for: [47:38] = 3, [37:24] = q, a page for each slot of its send ring, as far as there are so many. */
export const LIST_AREA = { hi: 0xc0, qpnShift: 24, pages: 4096 } as const;
/** Data of QP q: [47] = 1, [46:33] = q, [32] = 0 source, 1 receive; 4 GiB each. */
export const DATA_AREA = { hi: 0x8000, qpnHiShift: 1, receiveHi: 1 } as const;

/** First numbers that the published harness uses; kept so that logs compare. */
export const FIRST_QPN = 14;
export const FIRST_CQN = 254;

/** Widths of the numbers above, in values. */
export const QPN_LIMIT = 1 << 14;
export const CQN_LIMIT = 1 << 13;
