/**
 * How long useful work may keep the whole system busy: what the scoreboard takes off the time that a queue pair has
 * waited. Follows from the buses, so that a slow link or a far host makes no queue pair look stuck.
 */

import type { PcieHostSettings } from '../../agents/pcie/pcieSettings.ts';
import type { LinkSettings } from '../../agents/link/linkSettings.ts';
import type { Profile, ServiceCost } from '../../scoreboard/model/profile.ts';

/** Part of a bus that must be left for payload, when packets are small and all hosts send to one. */
const PAYLOAD_SHARE = 0.5;
const BITS_PS = 8000;

/** The cost of work of such a NIC on such buses. */
export function serviceCost(pcie: PcieHostSettings, link: LinkSettings, profile: Profile): ServiceCost {
  const { service, readsPerPiece, readsPerRequest, bytesPerRequest } = profile;
  const bus = Math.min(pcie.rate, link.rate) * PAYLOAD_SHARE;
  const bytePs = Math.max(service.bytePs, Math.round(BITS_PS / bus));
  const readPs = (pcie.upLatency + pcie.memoryLatency + pcie.downLatency) / pcie.tags;
  // Of the bytes besides payload only what a bus slower than the NIC adds: its own cost holds the rest.
  const extraPs = bytePs - service.bytePs;
  return {
    bytePs,
    piecePs: Math.round(service.piecePs + readsPerPiece * readPs),
    requestPs: Math.round(service.requestPs + readsPerRequest * readPs + bytesPerRequest * extraPs),
  };
}

/** The cost of work that may go over any of several buses. */
export function slowest(costs: readonly ServiceCost[]): ServiceCost {
  const most = (field: keyof ServiceCost): number => Math.max(...costs.map((cost) => cost[field]));
  return { bytePs: most('bytePs'), piecePs: most('piecePs'), requestPs: most('requestPs') };
}
