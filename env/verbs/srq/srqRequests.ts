/** What software asks of devices and of shared receive queues, and what it is told of them. */

/** What software may want of a device beyond the usual; a NIC that has to be told so when it is brought up is. */
export interface DeviceRequest {
  /** Shared receive queues at a time. Default 0. */
  readonly srqs?: number;
}

/** What a shared receive queue is to be like. */
export interface SrqRequest {
  /** Receives that may be posted at a time; rounded up, see `Srq.maxWr`. */
  readonly maxWr: number;
  /** Entries of a receive. */
  readonly maxSge: number;
}

/** Attributes of `modifySrq`. */
export interface SrqChange {
  /** SRQ_LIMIT_REACHED once fewer receives than that are left; 0 = not. */
  readonly limit?: number;
  /** Another size, which no device here can give. */
  readonly maxWr?: number;
}

/** What the NIC says of a shared receive queue. */
export interface SrqAttributes {
  readonly maxWr: number;
  readonly maxSge: number;
  /** 0 when no event is asked for any more. */
  readonly limit: number;
}
