/**
 * Which queue pairs are connected to each other.
 *
 * Every host has the same number of queue pairs of a type; they are numbered 0 .. count-1 on each host and paired
 * within the type. Number 2k of host h is joined with number 2k+1 of host h + d (modulo the hosts), where
 * d = 1 + k mod (hosts - 1) deals the hosts out round robin. With two hosts that is the published rule "even with
 * odd" (hangu-interface.md 1.3, step 5): peers differ in bit 0 of their number. Where the count is odd, the last ones
 * are joined between hosts 2m and 2m+1.
 *
 * So every queue pair has exactly one peer, on another host. Only when hosts * count is odd no such pairing exists;
 * then the last queue pair of the last host, and only that one, stays alone.
 */

/** One queue pair: host, and number within its type. */
export interface QpPlace {
  readonly host: number;
  readonly index: number;
}

/**
 * The peer of queue pair `index` of `host`, among `count` of its type on each of `hosts` hosts; null for the one
 * that stays alone, and for everybody when there is only one host.
 */
export function peerOf(hosts: number, count: number, host: number, index: number): QpPlace | null {
  if (hosts < 2) return null;
  if (index === count - 1 && count % 2 === 1) {
    const other = host ^ 1;
    return other < hosts ? { host: other, index } : null;
  }
  const distance = 1 + ((index >> 1) % (hosts - 1));
  const forward = index % 2 === 0;
  return { host: (host + (forward ? distance : hosts - distance)) % hosts, index: index ^ 1 };
}

/** The queue pair without a peer, or null when everyone has one. */
export function unpaired(hosts: number, count: number): QpPlace | null {
  return count % 2 === 1 && hosts % 2 === 1 ? { host: hosts - 1, index: count - 1 } : null;
}
