/** What is known of frames that have come to the hosts. */
export interface HeardFrames {
  /** Least time in ps from the first bit of a frame on the wire to its arrival. */
  readonly shortestTrip: number;
  /** Frames that a host's NIC has sent. */
  sentFrames(host: number): number;
  /** Whether all frames on the link have arrived, and the latest one came to a host's NIC so long ago that it has been dealt with. */
  hasHeardAll(host: number): boolean;
  /**
   * Whether all frames sent until `since` (ps) have arrived, and the NIC of a host came to rest after that: nothing was
   * under way at its ports, and nothing moved there for so long that nothing would. What it had not done by then it would
   * not do by itself. False where that is not known.
   */
  hasRested(host: number, since: number): boolean;
  /**
   * Whether nothing is on the link, and the NIC of a host was at rest at a time when `wait` ps and more had passed since
   * `since` (ps) and since the last frame on the link arrived. False where that is not known.
   */
  hasIdled(host: number, since: number, wait: number): boolean;
}
