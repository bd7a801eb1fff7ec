/** Which pages of its host a NIC may read. Given to the monitor by whoever knows what software has told the NIC of. */
export interface ReadablePages {
  /** Asked for every read: must be cheap. `page` is bits [31:12] of the address under `hi`. */
  readable(hi: number, page: number): boolean;
}
