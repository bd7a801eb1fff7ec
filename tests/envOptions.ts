/** How the parameters of a run become the options of its environment. */
import type { AddressMode } from '../env/ports/netAddress.ts';
import { ACK_TIMER_PS, ACK_TIMER_SLACK, RNR_TIMER_PS } from '../rdma/timers.ts';
import { type FaultPlan, mayDisturb } from '../agents/link/faults/faultPlan.ts';
import type { PcieFaultPlan } from '../agents/pcie/faults/pcieFaultPlan.ts';
import { mayFail } from '../agents/pcie/faults/rule/pcieRule.ts';
import type { NicBuilder, NicKnobs } from '../dut-model/nic.ts';
import type { EnvOptions } from '../env/envSettings.ts';
import { domainOf, type MemoryPlacement } from '../env/memory/memoryDomain.ts';
import type { NicKind, NicOfHost } from '../env/nicKind.ts';
import type { DeviceRequest } from '../env/verbs/srq/srqRequests.ts';
import type { ConnectAttributes } from '../env/verbs/hostApi.ts';
import { CHECK_LEVEL, DEFAULT_STALL_TIME } from '../scoreboard/model/options.ts';
import type { ParameterValues } from '../config/table/parameterTable.ts';
import { knobsOfHost, type RunConfig } from '../config/runConfig.ts';
import { MS, NS } from '../uvm/kernel/time.ts';

/** The two bits of a traffic class that say what a packet is capable of, and what says that it is. */
const ECN_BITS = 3;
const ECT_0 = 2;
const MOST_RETRIES = 7;
/** The scoreboard gives a run up after two stall times, which it sees a quarter later. */
const STALLS_PER_RUN = 4;

/** Accesses to memory one after another, and trips of packets, in which a request that gets on may show no progress. */
const ACCESSES_PER_STALL = 1000;
const TRIPS_PER_STALL = 10;

/** Options of `HcaEnv`. @param others the NIC of each host, where they differ; default: `nic` for all */
export function envOptionsOf(
  settings: RunConfig,
  nic: NicBuilder,
  kind: NicKind,
  others?: readonly NicOfHost[],
): EnvOptions {
  const v = settings.values;
  const kinds = others?.map((other) => other.kind) ?? [kind];
  const kindOf = (host: number): NicKind => kinds[host] ?? kind;
  const { faults, pcieFaults } = settings;
  return {
    hosts: v.HOST_NUM,
    processes: Math.min(v.PROC_NUM, ...kinds.map(({ limits }) => limits.maxProcesses)),
    queuePairs: v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM,
    nic: others?.map(({ builder }) => builder) ?? nic,
    kind,
    kindOf,
    nicKnobs: settings.nicKnobs,
    knobsOf: (host) => knobsFor(settings, host, kindOf(host), others?.[host]),
    faults,
    pcieFaults,
    eventPoll: v.EQ_POLL,
    ...(disturbs(faults) || mayStop(pcieFaults) ? { lossAllowed: true } : {}),
    pages: v.PAGE_SCATTER ? 'scattered' : 'contiguous',
    dataOffset: v.DATA_OFFSET,
    domainOf: (host, ordinal, receive) =>
      domainOf(v.MEM_DOMAIN as MemoryPlacement, settings.seed, host, ordinal, receive),
    addresses: v.NET_ADDRESSES as AddressMode,
    cqIndices: { parts: v.CQ_INDEX },
    firstNumbers: { qpn: v.FIRST_QPN, cqn: v.FIRST_CQN, key: v.FIRST_KEY, mtt: v.FIRST_MTT, cqIndex: v.FIRST_CQ_INDEX },
    pcie: {
      maxPayload: v.PCIE_MPS,
      maxReadRequest: v.PCIE_MRRS,
      readCompletionBoundary: v.PCIE_RCB,
      tags: v.PCIE_TAGS,
      rate: v.PCIE_GBPS,
      upLatency: v.PCIE_UP_NS * NS,
      downLatency: v.PCIE_DOWN_NS * NS,
      memoryLatency: v.PCIE_MEMORY_NS * NS,
      splitChance: v.PCIE_CPL_SPLIT / 100,
      reorderChance: v.PCIE_CPL_REORDER / 100,
    },
    link: { rate: v.LINK_GBPS, latency: v.LINK_LATENCY_NS * NS },
    checkLevel: v.CHECKS ? CHECK_LEVEL.full : CHECK_LEVEL.off,
    wireMonitor: v.CHECKS && kinds.every(({ profile }) => profile.wire === 'rocev2'),
    stallTime: Math.max(v.STALL_TIME, 2 * (RNR_TIMER_PS[v.MIN_RNR_TIMER] as number), shortestStall(v)),
    restTime: Math.max(v.SETTLE, ...kinds.map(({ profile }) => profile.restTime)),
  };
}

/** What devices are opened with, whatever a test does with them. */
export function deviceRequestOf({ KEY_TAGS, KEYS_SOON, NUMBERS_SOON }: ParameterValues): DeviceRequest {
  return {
    ...(KEY_TAGS > 0 ? { keyTags: KEY_TAGS } : {}),
    ...(KEYS_SOON ? { keysSoon: true } : {}),
    ...(NUMBERS_SOON ? { numbersSoon: true } : {}),
  };
}

/** Knobs of the NIC of a host. @param nic that one, where NICs differ; default: it takes all knobs */
function knobsFor(settings: RunConfig, host: number, kind: NicKind, nic?: NicOfHost): NicKnobs {
  const given = knobsOfHost(settings, host);
  const taken = nic && Object.fromEntries(Object.entries(given).filter(([name]) => nic.takesKnob(name)));
  return settings.faults.ecn ? { ...kind.ecnKnobs, ...(taken ?? given) } : (taken ?? given);
}

/** Whether something may be lost, late, repeated or damaged. */
function disturbs({ rules, explain }: FaultPlan): boolean {
  return !explain && rules.some(({ rule }) => mayDisturb(rule));
}

/** Whether a NIC may be kept from what it was doing: its peer is not answered any more then. */
function mayStop({ rules, explain }: PcieFaultPlan): boolean {
  return !explain && rules.some(({ rule }) => mayFail(rule));
}

/** A NIC with small caches and one tag reads what a request needs piece by piece, and for others in between (ps). */
function shortestStall({ PCIE_UP_NS, PCIE_DOWN_NS, PCIE_MEMORY_NS, LINK_LATENCY_NS }: ParameterValues): number {
  const access = PCIE_UP_NS + PCIE_DOWN_NS + PCIE_MEMORY_NS;
  return MS + (ACCESSES_PER_STALL * access + TRIPS_PER_STALL * LINK_LATENCY_NS) * NS;
}

/**
 * The same options, with the stall time that a link which loses frames asks for: a requester notices the loss of the last
 * frame of a message only when its ACK timer ends, and may see the same again as often as it retries.
 */
export function patientOnLoss(options: EnvOptions, connect: ConnectAttributes, simTimeout: number): EnvOptions {
  const { kind, kindOf = () => kind, hosts = 2 } = options;
  const kinds = Array.from({ length: hosts }, (_, host) => kindOf(host));
  const refusedInSilence = kinds.some(({ limits }) => limits.capabilities.naks === false);
  if (options.lossAllowed !== true && !refusedInSilence) return options;
  const least = stallTimeOnLoss(connect, simTimeout);
  return { ...options, stallTime: Math.max(options.stallTime ?? DEFAULT_STALL_TIME, least) };
}

/** Least stall time on such a link, ps. */
export function stallTimeOnLoss(connect: ConnectAttributes, simTimeout: number): number {
  // A queue pair that is stuck for good must still be found before the run is over.
  return Math.ceil(Math.min(longestAckWait(connect), simTimeout / STALLS_PER_RUN));
}

/** Time in ps until a requester that gets no answer has to give up; 0 when its ACK timer is off. */
function longestAckWait({ timeout = 0, retryCnt = MOST_RETRIES }: ConnectAttributes): number {
  return timeout === 0 ? 0 : (retryCnt + 1) * ACK_TIMER_SLACK * (ACK_TIMER_PS[timeout] as number);
}

/** Attributes that all queue pairs are connected with. */
export function connectAttributesOf(settings: RunConfig): ConnectAttributes {
  const v = settings.values;
  return {
    ipv6: v.IPV6,
    trafficClass: settings.faults.ecn ? (v.TRAFFIC_CLASS & ~ECN_BITS) | ECT_0 : v.TRAFFIC_CLASS,
    flowLabel: v.FLOW_LABEL,
    hopLimit: v.HOP_LIMIT,
    timeout: v.ACK_TIMEOUT,
    retryCnt: v.RETRY_CNT,
    rnrRetry: v.RNR_RETRY,
    minRnrTimer: v.MIN_RNR_TIMER,
    maxRdAtomic: v.MAX_RD_ATOMIC,
    maxDestRdAtomic: v.MAX_RD_ATOMIC,
  };
}
