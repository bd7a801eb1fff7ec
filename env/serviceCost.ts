/**
 * How long useful work may keep the whole system busy: what the scoreboard takes off the time that a queue pair has
 * waited. Follows from the buses, so that a slow link or a far host makes no queue pair look stuck.
 */

import type { PcieHostSettings } from '../agents/pcie/pcieSettings.ts';
import type { LinkSettings } from '../agents/link/linkSettings.ts';
import { DEFAULT_SERVICE, type ServiceCost } from '../scoreboard/model/options.ts';

/** Part of a bus that must be left for payload, when packets are small and all hosts send to one. */
const PAYLOAD_SHARE = 0.5;
/** What a request moves besides its payload: queue entries, contexts, translations, headers, completions. */
const REQUEST_BYTES = 2048;
/** Reads of host memory, one after the other, that a piece of payload may stand for, and a request. */
const PIECE_READS = 4;
const REQUEST_READS = 16;
const BITS_PS = 8000;

/** The cost of work on such buses. */
export function serviceCost(pcie: PcieHostSettings, link: LinkSettings): ServiceCost {
  const bus = Math.min(pcie.rate, link.rate) * PAYLOAD_SHARE;
  const bytePs = Math.max(DEFAULT_SERVICE.bytePs, Math.round(BITS_PS / bus));
  const readPs = (pcie.upLatency + pcie.memoryLatency + pcie.downLatency) / pcie.tags;
  // Of the bytes besides payload only what a bus slower than the NIC adds: the default holds the rest.
  const extraPs = bytePs - DEFAULT_SERVICE.bytePs;
  return {
    bytePs,
    piecePs: Math.round(PIECE_READS * readPs),
    requestPs: Math.round(DEFAULT_SERVICE.requestPs + REQUEST_READS * readPs + REQUEST_BYTES * extraPs),
  };
}

/** The cost of work that may go over any of several buses. */
export function slowest(costs: readonly ServiceCost[]): ServiceCost {
  const most = (field: keyof ServiceCost): number => Math.max(...costs.map((cost) => cost[field]));
  return { bytePs: most('bytePs'), piecePs: most('piecePs'), requestPs: most('requestPs') };
}
