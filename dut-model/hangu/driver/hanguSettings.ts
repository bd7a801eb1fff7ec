/** What the HanGu provider can be told of its NIC, and what it says of it. */

import type { ProviderCapabilities } from '../../../env/verbs/capabilities.ts';
import { BAR } from '../layout/addressMap.ts';
import { HANGU_LIMITS } from '../layout/limits.ts';
import type { HcrTiming } from './commands/hcr.ts';

/** Settings of the provider. Times in ps. */
export interface HanguSettings extends HcrTiming {
  /** Set up event queues and interrupts at open. Default true. */
  readonly events: boolean;
  /**
   * The NIC refuses commands that do not fit the state of what they name, or the size of a table. Default true; a NIC
   * that finds only what it cannot decode (hangu-rtl-facts.md 2.3) is asked for no more than that.
   */
  readonly commandChecks: boolean;
  /** Send completions of RC name the remote queue pair. Default true; of some generations they say 0 (4.6). */
  readonly rcRemoteQpn: boolean;
  /** BAR of the doorbell pages. Default `BAR.doorbell`. */
  readonly doorbellBar: number;
  /** Entries of its tables of keys and of translations. Default: as `HANGU_LIMITS`. */
  readonly mpts: number;
  readonly mtts: number;
}

export const HANGU_SETTINGS: HanguSettings = {
  events: true,
  commandChecks: true,
  rcRemoteQpn: true,
  doorbellBar: BAR.doorbell,
  mpts: HANGU_LIMITS.maxMpts,
  mtts: HANGU_LIMITS.maxMtts,
  pollInterval: 310_000,
  pollLimit: 20_000,
};

export const HANGU_CAPABILITIES: ProviderCapabilities = {
  rc: true,
  uc: true,
  ud: true,
  rdmaRead: true,
  atomics: true,
  inline: true,
  unsignaled: true,
  cqOverflow: true,
  resizeCq: true,
  events: true,
  ipv6: true,
  sqd: true,
  naks: true,
  domains: true,
  raw: true,
  zeroBased: true,
  emptyRegions: true,
  sharedReceives: true,
  queryCq: true,
  queryMr: true,
  cardMemory: false,
  taggedKeys: true,
  memoryWindows: true,
  fastRegistration: true,
};
