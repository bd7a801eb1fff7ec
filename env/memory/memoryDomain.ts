/** Where data lie: in the memory of the host, or in that of the card. */
import { hash32 } from '../../uvm/random/hash.ts';

const MEMORY_DOMAINS = ['host', 'card'] as const;
export type MemoryDomain = (typeof MEMORY_DOMAINS)[number];
/** Of all queue pairs of a run; `mixed`: of each side of a queue pair its own. */
export type MemoryPlacement = MemoryDomain | 'mixed';

/** Where one side of a queue pair of a host lies. @param ordinal of the queue pair among those that its host has made */
export type DomainChoice = (host: number, ordinal: number, receive: boolean) => MemoryDomain;

/**
 * Domain of one side of a queue pair. Draws nothing: the same seed gives the same, whatever else there is.
 * @param ordinal of the queue pair among those of its host
 */
export function domainOf(
  placement: MemoryPlacement,
  seed: number,
  host: number,
  ordinal: number,
  receive: boolean,
): MemoryDomain {
  if (placement !== 'mixed') return placement;
  return (hash32(seed, host, 2 * ordinal + (receive ? 1 : 0)) & 1) === 0 ? 'host' : 'card';
}
