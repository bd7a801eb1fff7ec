/**
 * Where a HanGu NIC keeps the results of atomics in host memory (roce-transport.md 9): for each RC queue pair a context
 * (AQC) and, on the pages behind it, the ACK queue itself (AQ), a ring of entries (AQE). All little-endian. Data only.
 *
 * AQC: DW0-1 host address of the AQ, low half first; DW2 entries per group (`AQ_grp_div`); DW3 entries of the AQ; DW4
 *   results ever written; DW5-7 zero; from DW8 on the PSN of the first entry of each group, bit 31 set where it is there.
 * AQE: DW0 PSN in [23:0], BTH operation in [28:24], bit 31 set in an entry that was written; DW1 zero; DW2-3 the original
 *   value, low half first.
 * Where READs and WRITEs have entries too they are twice as long: DW1 PSNs of the answer of a READ; DW2-3 of READs and WRITEs
 *   the remote address, DW4 its key, DW5 bytes; DW6-7 zero. PSN of a WRITE is that of its last packet.
 */
export const AQC_BYTES = 4096;
export const AQC = { startLo: 0, startHi: 1, groupEntries: 2, depth: 3, written: 4, groups: 8 } as const;
/** Set in the first PSN of a group that has one, and in an entry that was written. */
export const AQ_VALID = 1 << 31;

export const AQE_BYTES = 16;
export const AQE = { psn: 0, psns: 1, lo: 2, hi: 3, rkey: 4, length: 5 } as const;
/** Of entries for READs and WRITEs as well. */
export const AQE_LONG_BYTES = 32;
export const AQE_OPERATION_SHIFT = 24;

/** Most entries of an AQ. */
export const AQ_MAX_DEPTH = 1024;
/** Fewest entries of a group: more groups than that leaves would not fit into an AQC. */
export const AQ_MIN_GROUP = 4;

/** Part of queue pair q: this upper half, q in [31:16] of the lower one. AQC first, the AQ from the next page on. */
export const AQ_AREA = { hi: 0x6000, qpnShift: 16, bytes: AQC_BYTES + AQ_MAX_DEPTH * AQE_LONG_BYTES } as const;
