/** What coverage listens to: agents of the environment, and nothing that judges or drives. */

import type { LinkAgent } from '../agents/link/linkAgent.ts';
import type { PcieHostAgent } from '../agents/pcie/pcieHostAgent.ts';
import type { VerbsMonitor } from '../agents/verbs/verbsMonitor.ts';
import type { WireMonitor } from '../agents/wire/wireMonitor.ts';

/** The kind of NIC of a host: hosts with the same one have NICs of one kind. */
export interface ObservedNic {
  readonly limits: { readonly ports?: number };
}

export interface ObservedHost {
  readonly host: number;
  readonly monitor: VerbsMonitor;
  readonly agent: PcieHostAgent;
  readonly kind: ObservedNic;
}

export interface ObservedSystem {
  /** By number. */
  readonly hostEnvs: readonly ObservedHost[];
  readonly link: LinkAgent;
  /** Null when frames are not decoded. */
  readonly monitor: WireMonitor | null;
}
