/** What link and PCIe can do at best: figures of a NIC are held against these, as ratios. */
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import { NS } from '../../uvm/kernel/time.ts';

/** Preamble, check sequence and gap, then Ethernet, UDP, base transport header and ICRC, of each packet (roce-transport.md 1.1). */
const LINK_OVERHEAD = 24 + 14 + 8 + 12 + 4;
const IP_HEADER = { 4: 20, 6: 40 } as const;
/** Of each PCIe packet. */
const PCIE_OVERHEAD = 16;
/** Picoseconds of a byte at 1 Gb/s. */
const PS_PER_BYTE = 8000;

type Buses = Pick<
  ParameterValues,
  'MTU' | 'IPV6' | 'LINK_GBPS' | 'PCIE_GBPS' | 'PCIE_MPS' | 'LINK_LATENCY_NS' | 'PCIE_UP_NS' | 'PCIE_DOWN_NS'
>;

/** Time (ps) of a message of `bytes` on the slower of both. */
export function leastTime(buses: Buses, bytes: number): number {
  return Math.max(onLink(buses, bytes), onPcie(buses, bytes));
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
  { perf_share: share, perf_times: times }: Readonly<Record<string, number>>,
  { PERF_LEAST_SHARE: least, PERF_MOST_TIMES: most }: Pick<ParameterValues, 'PERF_LEAST_SHARE' | 'PERF_MOST_TIMES'>,
  tellsArrival: boolean,
): LimitFinding | undefined {
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
