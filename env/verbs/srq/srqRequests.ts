/** What software asks of devices and of shared receive queues, and what it is told of them. */

/** What software may want of a device beyond the usual; a NIC that has to be told so when it is brought up is. */
export interface DeviceRequest {
  /** Shared receive queues at a time. Default 0. */
  readonly srqs?: number;
  /**
   * Keys are an index and a tag of so many bits, 1 .. 8, so that one which is out of date opens nothing: with fewer bits a key comes back
   * sooner. Windows and what invalidates keys need it. Default 0: keys have no tag.
   */
  readonly keyTags?: number;
  /** The index of a key that was given back last is given out next. Default: indices come back as late as possible. */
  readonly keysSoon?: boolean;
  /** The number of a queue pair or completion queue that was destroyed last is given out next. Default: as late as possible. */
  readonly numbersSoon?: boolean;
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
