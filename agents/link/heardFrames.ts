/** What is known of frames that have come to the hosts. */
export interface HeardFrames {
  /** Whether all frames on the link have arrived, and the latest one came to a host's NIC so long ago that it has been dealt with. */
  hasHeardAll(host: number): boolean;
}
