/** What link and PCIe can do at best: figures of a NIC are held against these, as ratios. */
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import { NS } from '../../uvm/kernel/time.ts';

/** Preamble, check sequence and gap, then Ethernet, UDP, base transport header and ICRC, of each packet (roce-transport.md 1.1). */
const LINK_OVERHEAD = 24 + 14 + 8 + 12 + 4;
const IP_HEADER = { 4: 20, 6: 40 } as const;
/** Of each PCIe packet. */
const PCIE_OVERHEAD = 16;
/** By which a bandwidth may differ from what is expected. */
const TOLERANCE = 0.1;
/** Picoseconds of a byte at 1 Gb/s. */
const PS_PER_BYTE = 8000;

type Buses = Pick<
  ParameterValues,
  'MTU' | 'IPV6' | 'LINK_GBPS' | 'PCIE_GBPS' | 'PCIE_MPS' | 'LINK_LATENCY_NS' | 'PCIE_UP_NS' | 'PCIE_DOWN_NS'
>;

/** What messages of a measurement share. */
export interface Lanes {
  /** Ethernet ports that they leave by. */
  readonly ports: number;
  /** They lie in host memory at both ends: each passes PCIe. */
  readonly inHostMemory: boolean;
}

/** Time (ps) of a message of `bytes` on the slower of both. */
export function leastTime(buses: Buses, bytes: number, { ports, inHostMemory }: Lanes): number {
  return Math.max(onLink(buses, bytes) / ports, inHostMemory ? onPcie(buses, bytes) : 0);
}

/** Latency (ps) at least: one way with a doorbell before and data in memory behind, or there and back. */
export function leastLatency(buses: Buses, bytes: number, isOneWay: boolean): number {
  const { LINK_LATENCY_NS, PCIE_UP_NS, PCIE_DOWN_NS } = buses;
  const software = (PCIE_UP_NS + PCIE_DOWN_NS) * NS;
  const way = LINK_LATENCY_NS * NS;
  return software + onLink(buses, bytes) + (isOneWay ? way : 2 * way);
}

/** What a measurement breaks. */
export interface LimitFinding {
  readonly id: 'PERF_LIMIT' | 'PERF_IMPOSSIBLE';
  readonly text: string;
}

/**
 * What was measured, held against what link and PCIe can do.
 * @param tellsArrival a completion says that its message has arrived; elsewhere it says no more than that the message has left
 */
export function limitFinding(
  {
    perf_share: share,
    perf_times: times,
    perf_ratio: ratio,
    perf_fairness: fairness = 1,
  }: Readonly<Record<string, number>>,
  { PERF_LEAST_SHARE: least, PERF_MOST_TIMES: most }: Pick<ParameterValues, 'PERF_LEAST_SHARE' | 'PERF_MOST_TIMES'>,
  tellsArrival: boolean,
): LimitFinding | undefined {
  if (ratio !== undefined) {
    const what = `${percent(ratio)} of what is expected`;
    if (Math.abs(ratio - 1) > TOLERANCE)
      return { id: 'PERF_LIMIT', text: `${what}; ${percent(TOLERANCE)} more or less may be` };
    if (fairness < 1 - TOLERANCE)
      return {
        id: 'PERF_LIMIT',
        text: `a queue pair has ${percent(fairness)} of what another has; ${percent(1 - TOLERANCE)} are asked for`,
      };
  }
  if (share !== undefined) {
    const what = `${percent(share)} of what link and PCIe can carry`;
    if (share > 1 && tellsArrival) return { id: 'PERF_IMPOSSIBLE', text: `${what}; the figure is wrong` };
    if (share < least) return { id: 'PERF_LIMIT', text: `${what}; ${percent(least)} are asked for` };
  }
  if (times !== undefined) {
    const what = `${times.toFixed(2)} times the least latency of link and PCIe`;
    if (times < 1) return { id: 'PERF_IMPOSSIBLE', text: `${what}; the figure is wrong` };
    if (most > 0 && times > most) return { id: 'PERF_LIMIT', text: `${what}; ${most} may be` };
  }
  return undefined;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function onLink({ MTU, IPV6, LINK_GBPS }: Buses, bytes: number): number {
  const packets = Math.max(1, Math.ceil(bytes / MTU));
  return ((bytes + packets * (LINK_OVERHEAD + IP_HEADER[IPV6 ? 6 : 4])) * PS_PER_BYTE) / LINK_GBPS;
}

function onPcie({ PCIE_GBPS, PCIE_MPS }: Buses, bytes: number): number {
  return ((bytes + Math.ceil(bytes / PCIE_MPS) * PCIE_OVERHEAD) * PS_PER_BYTE) / PCIE_GBPS;
}
