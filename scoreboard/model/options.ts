/** Options of the scoreboard and their defaults. */

import type { QpState } from '../../rdma/verbs.ts';
import type { Profile, ServiceCost } from './profile.ts';
import { Profiles } from './profiles.ts';
import { NO_WIRE, type WireView } from './wireView.ts';
import { SHOWN_PER_ID } from '../../uvm/report/findings.ts';
import type { HostAddress, ScoreboardMemory } from '../memory/scoreboardMemory.ts';
import { MS } from '../../uvm/kernel/time.ts';

/**
 * How much is checked: nothing; completions alone; completions and memory contents; everything, with the write
 * guard and the final sweep. Benchmarks lower it, tests do not.
 */
export const CHECK_LEVEL = { off: 0, completions: 1, memory: 2, full: 3 } as const;
export type CheckLevel = (typeof CHECK_LEVEL)[keyof typeof CHECK_LEVEL];

/** What the scoreboard is built with. */
export interface ScoreboardOptions {
  /** Number of hosts, numbered from 0. */
  readonly hosts: number;
  readonly memory: ScoreboardMemory;
  /** Of the NICs: one for all of them, or by host. */
  readonly profile: Profile | Profiles;
  /** Queue pairs of all hosts together, as far as it is known: tables have room for them from the start. Default 0. */
  readonly queuePairs?: number;
  /** Default `full`. */
  readonly level?: CheckLevel;
  /** Simulated time in ps without useful progress after which a queue pair is stuck. Default `DEFAULT_STALL_TIME`. */
  readonly stallTime?: number;
  /** Default: that of the profile of host 0, as on fast buses. */
  readonly service?: ServiceCost;
  /** True when the scenario posts more receives than messages. Default false. */
  readonly receivesMayRemain?: boolean;
  /** IP addresses by host, for the header in front of UD messages. Without them only the header's form is checked. */
  readonly addresses?: readonly HostAddress[];
  /** The same of further ports of the NICs, by port from 2. Default: there are none. */
  readonly portAddresses?: readonly (readonly HostAddress[])[];
  /** Ports and wire. Default `NO_WIRE`: they are not watched. */
  readonly wire?: WireView;
  /** State of a queue pair as software knows it, for messages. Default: not known. */
  readonly stateOf?: (host: number, qpn: number) => QpState | undefined;
  /** Reports with full text per id; further ones are counted. Default `SHOWN_PER_ID`. */
  readonly maxReportsPerId?: number;
}

/** Options with all defaults filled in. */
export interface ResolvedOptions extends Required<Omit<ScoreboardOptions, 'profile'>> {
  readonly profiles: Profiles;
}

/** From now on nothing is stuck before `stallTime` (ps). */
export function lengthenStall(options: ResolvedOptions, stallTime: number): void {
  Object.assign(options, { stallTime: Math.max(options.stallTime, stallTime) });
}

/** ps. With thousands of queue pairs in turn one of them legally waits for tens of milliseconds. */
export const DEFAULT_STALL_TIME = 500 * MS;

/** Fills in the defaults. */
export function resolveOptions({ profile, ...options }: ScoreboardOptions): ResolvedOptions {
  const profiles = profile instanceof Profiles ? profile : new Profiles(profile);
  return {
    profiles,
    queuePairs: 0,
    level: CHECK_LEVEL.full,
    stallTime: DEFAULT_STALL_TIME,
    service: profiles.of(0).service,
    receivesMayRemain: false,
    addresses: [],
    portAddresses: [],
    wire: NO_WIRE,
    stateOf: () => undefined,
    maxReportsPerId: SHOWN_PER_ID,
    ...options,
  };
}
