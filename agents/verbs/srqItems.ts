/** What is told of shared receive queues. */

/** One was made. */
export interface SrqInfo {
  readonly host: number;
  readonly srqn: number;
  readonly process: number;
  /** Protection domain whose keys open its receives. */
  readonly pd: number;
}

/** What a NIC has said of one, and what software has made it with. */
export interface SrqQuery {
  readonly host: number;
  readonly srqn: number;
  readonly maxWr: number;
  readonly maxSge: number;
  readonly said: { readonly maxWr: number; readonly maxSge: number; readonly limit: number };
}
