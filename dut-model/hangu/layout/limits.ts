/**
 * What a HanGu NIC can do, in numbers (hangu-interface.md 4.8, hangu-rtl-facts.md 2.4 and 11). The model answers
 * QUERY_DEV_LIM with them and the provider checks its budget against them before time 0.
 */
export const HANGU_LIMITS = {
  maxQps: 8192,
  maxCqs: 8192,
  maxEqs: 32,
  /** log_mpt_sz = 17, as the published INIT_HCA programs it. */
  maxMpts: 1 << 17,
  maxMtts: 1 << 22,
  reservedQps: 1,
  maxSendWqeBytes: 512,
  maxRecvWqeBytes: 496,
  maxSge: 16,
  maxRingBytes: 0x80_0000,
  maxCqEntries: 1 << 15,
  maxMtuCode: 5,
  /** Outstanding READs and atomics of a queue pair, each way. */
  maxRdAtomic: 256,
  /** Requests of a send queue. */
  maxSendRequests: 1 << 15,
  /** Shared receive queues, and slots of one: a receive fewer. */
  maxSrqs: 1 << 10,
  maxSrqSlots: 1 << 15,
  /** Memory windows, bound or not. */
  maxWindows: 1 << 9,
} as const;
