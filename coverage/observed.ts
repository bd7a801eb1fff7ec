/** What coverage listens to: agents of the environment, and nothing that judges or drives. */

import type { LinkAgent } from '../agents/link/linkAgent.ts';
import type { PcieHostAgent } from '../agents/pcie/pcieHostAgent.ts';
import type { HostPorts } from '../agents/verbs/hostPorts.ts';
import type { WireMonitor } from '../agents/wire/wireMonitor.ts';

export interface ObservedHost {
  readonly host: number;
  readonly ports: HostPorts;
  readonly agent: PcieHostAgent;
}

export interface ObservedSystem {
  /** By number. */
  readonly hostEnvs: readonly ObservedHost[];
  readonly link: LinkAgent;
  /** Null when frames are not decoded. */
  readonly monitor: WireMonitor | null;
}
