/**
 * How long useful work may keep the whole system busy: what the scoreboard takes off the time that a queue pair has
 * waited. Follows from the buses, so that a slow link or a far host makes no queue pair look stuck.
 */

import type { PcieHostSettings } from '../agents/pcie/pcieSettings.ts';
import type { LinkSettings } from '../agents/link/linkSettings.ts';
import type { ServiceCost } from '../scoreboard/options.ts';

/** A NIC may be slower than its buses, but no slower than this (Gb/s). */
const SLOWEST_NIC_GBPS = 10;
/** Part of a bus that must be left for payload, when packets are small and all hosts send to one. */
const PAYLOAD_SHARE = 0.5;
/** Processing of a request besides its bytes, ps. */
const REQUEST_PS = 2_000_000;
/** What a request moves besides its payload: queue entries, contexts, translations, headers, completions. */
const REQUEST_BYTES = 2048;
/** Reads of host memory, one after the other, that a piece of payload may stand for, and a request. */
const PIECE_READS = 4;
const REQUEST_READS = 16;
const BITS_PS = 8000;

/** The cost of work on such buses. */
export function serviceCost(pcie: PcieHostSettings, link: LinkSettings): ServiceCost {
  const bus = Math.min(pcie.rate, link.rate) * PAYLOAD_SHARE;
  const bytePs = Math.round(BITS_PS / Math.min(SLOWEST_NIC_GBPS, bus));
  const readPs = (pcie.upLatency + pcie.memoryLatency + pcie.downLatency) / pcie.tags;
  // Of the bytes besides payload only what a bus slower than the NIC adds: REQUEST_PS holds the rest.
  const extraPs = bytePs - BITS_PS / SLOWEST_NIC_GBPS;
  return {
    bytePs,
    piecePs: Math.round(PIECE_READS * readPs),
    requestPs: Math.round(REQUEST_PS + REQUEST_READS * readPs + REQUEST_BYTES * extraPs),
  };
}
