/** What an environment is built with, and the defaults. */

import { SHORTEST_IDLE } from '../agents/idleTime.ts';
import { type FaultPlan, NO_FAULTS } from '../agents/link/faults/faultPlan.ts';
import type { LinkFaultHook } from '../agents/link/linkFaults.ts';
import type { LinkSettings } from '../agents/link/linkSettings.ts';
import { NO_PCIE_FAULTS, type PcieFaultPlan } from '../agents/pcie/faults/pcieFaultPlan.ts';
import type { PcieHostSettings } from '../agents/pcie/pcieSettings.ts';
import { DEFAULT_PCIE_SETTINGS } from '../agents/pcie/pcieSettings.ts';
import type { NicBuilder, NicKnobs } from '../dut-model/nic.ts';
import type { CheckLevel } from '../scoreboard/model/options.ts';
import { CHECK_LEVEL, DEFAULT_STALL_TIME } from '../scoreboard/model/options.ts';
import type { Component } from '../uvm/base/component.ts';
import { type CqIndices, NO_CQ_INDICES } from './settings/cqIndices.ts';
import { type FirstNumbers, USUAL_NUMBERS } from './settings/firstNumbers.ts';
import type { AddressMode } from './ports/netAddress.ts';
import type { DomainChoice } from './memory/memoryDomain.ts';
import type { MapMode } from './memory/addressMap.ts';
import type { NicKind } from './nicKind.ts';
import type { SimTime } from '../uvm/kernel/scheduler.ts';
import { HostApiError } from './verbs/hostErrors.ts';
import type { ObservedEnv } from './observedEnv.ts';
import type { ProviderBuilder } from './providers/provider.ts';

/** For the parameters of a run, which do not see the scoreboard. */
export { DEFAULT_STALL_TIME };

/** Smallest and largest number of hosts. */
const HOSTS = { min: 2, max: 8 } as const;

/** @public */
export interface EnvSettings {
  /** 2 .. 8. Default 2. */
  readonly hosts: number;
  /** Processes per host, 1 .. what the kind of NIC allows. Default 2. */
  readonly processes: number;
  /** Queue pairs of each host, as far as it is known: tables have room for them from the start. Default 0. */
  readonly queuePairs: number;
  /** Builds the NICs: one for all hosts, or one per host. Required; config field `nic_builder` overrides per host. */
  readonly nic: NicBuilder | readonly NicBuilder[];
  /** What there is to know of the NICs, their software included. Required. */
  readonly kind: NicKind;
  /** The same of the NIC of one host, where kinds differ. Default: `kind`. */
  readonly kindOf: (host: number) => NicKind;
  /** Knobs given to every NIC. Default none; config field `nic_knobs` overrides per host. */
  readonly nicKnobs: NicKnobs;
  /** Knobs of the NIC of one host. Default: `nicKnobs`. */
  readonly knobsOf: (host: number) => NicKnobs;
  /** Host software of all hosts. Default: that of the kind of each. */
  readonly provider: ProviderBuilder | undefined;
  /** Default scattered. */
  readonly pages: MapMode;
  /** Where the data of a queue pair begin in its areas, bytes, 0 .. 2^32 - 1. Default 0. */
  readonly dataOffset: number;
  /** Where one side of a queue pair of a host lies, by its ordinal, of NICs with memory on the card. Default: in host memory. */
  readonly domainOf: DomainChoice;
  /** Where host software begins to number what it makes. Default: as usual. */
  readonly firstNumbers: FirstNumbers;
  /** What host software tells its NIC of completions that it has taken. Default nothing. */
  readonly cqIndices: CqIndices;
  /** Network addresses of the hosts. Default `usual`. */
  readonly addresses: AddressMode;
  /** What differs from `DEFAULT_PCIE_SETTINGS` on all hosts. */
  readonly pcie: Partial<PcieHostSettings>;
  /** What differs from that on one host. Default nothing. */
  readonly pcieOf: (host: number) => Partial<PcieHostSettings>;
  /** What differs from `DEFAULT_LINK_SETTINGS`. */
  readonly link: Partial<LinkSettings>;
  /** Decides what happens to each frame. Default null: all pass. What loses or delays needs `lossAllowed`. */
  readonly linkFaults: LinkFaultHook | null;
  /** Fault rules of the link, with the same need. Default none. */
  readonly faults: FaultPlan;
  /** Fault rules of the PCIe ports. Default none. */
  readonly pcieFaults: PcieFaultPlan;
  /** Software looks into its event queues each so often, ps; 0, the default: when a message tells it to. */
  readonly eventPoll: SimTime;
  /** Default full. */
  readonly checkLevel: CheckLevel;
  /** Check and decode every frame. Default: where the NICs send RoCEv2. */
  readonly wireMonitor: boolean;
  /** Default false: see ScoreboardOptions. */
  readonly receivesMayRemain: boolean;
  /** Frames may be lost, late or repeated. Default false. */
  readonly lossAllowed: boolean;
  /** ps; default: that of the scoreboard. */
  readonly stallTime: number;
  /** A NIC at whose ports nothing has moved for this long does nothing more by itself, ps. Default: as the kinds say. */
  readonly restTime: number;
  /** Makes the coverage collector as a child of the environment; it connects itself. Default none. */
  readonly coverage: ((env: ObservedEnv) => Component) | undefined;
}

type NoDefault = 'nic' | 'kind';

/** What a caller must and may give. @public */
export type EnvOptions = Partial<EnvSettings> & Pick<EnvSettings, NoDefault>;

const DEFAULTS: Omit<EnvSettings, NoDefault | 'kindOf' | 'knobsOf' | 'restTime' | 'wireMonitor'> = {
  hosts: 2,
  provider: undefined,
  processes: 2,
  queuePairs: 0,
  nicKnobs: {},
  pages: 'scattered',
  dataOffset: 0,
  domainOf: () => 'host',
  firstNumbers: USUAL_NUMBERS,
  cqIndices: NO_CQ_INDICES,
  addresses: 'usual',
  pcie: DEFAULT_PCIE_SETTINGS,
  pcieOf: () => ({}),
  link: {},
  linkFaults: null,
  faults: NO_FAULTS,
  pcieFaults: NO_PCIE_FAULTS,
  eventPoll: 0,
  checkLevel: CHECK_LEVEL.full,
  receivesMayRemain: false,
  lossAllowed: false,
  stallTime: DEFAULT_STALL_TIME,
  coverage: undefined,
};

/**
 * Fills in the defaults.
 * @throws HostApiError of kind ATTRIBUTE for a number that is impossible, and without a kind of NIC.
 */
export function resolveEnvSettings(options: EnvOptions): EnvSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const kind = options.kind as NicKind | undefined;
  if (kind === undefined)
    throw new HostApiError('ATTRIBUTE', 'environment', 'no kind of NIC', 'give `kind`, as an entry of a NIC has it');
  const { kindOf = () => kind, hosts = DEFAULTS.hosts, nicKnobs = DEFAULTS.nicKnobs } = options;
  requireRange('hosts', hosts, HOSTS.min, HOSTS.max);
  const kinds = Array.from({ length: hosts }, (_, host) => kindOf(host));
  const restTime = Math.max(...kinds.map(({ profile }) => profile.restTime));
  const wireMonitor = kinds.every(({ profile }) => profile.wire === 'rocev2');
  const ofKinds = { kindOf, knobsOf: () => nicKnobs, restTime, wireMonitor };
  const settings = { ...DEFAULTS, ...ofKinds, ...given } as unknown as EnvSettings;
  for (const { limits, profile } of kinds) {
    requireRange('processes', settings.processes, 1, limits.maxProcesses);
    requireRange('profile.restTime', profile.restTime, SHORTEST_IDLE, Number.MAX_SAFE_INTEGER);
  }
  requireRange('dataOffset', settings.dataOffset, 0, 2 ** 32 - 1);
  return settings;
}

function requireRange(name: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new HostApiError('ATTRIBUTE', 'environment', `${name} is ${value}`, `use ${low} .. ${high}`, value);
}
