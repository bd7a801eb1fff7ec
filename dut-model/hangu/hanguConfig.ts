/**
 * Knobs of the HanGu model, set by `+NIC_<NAME>=`. Defaults follow the first hardware generation
 * (hangu-rtl-facts.md 3.1, 7.3, 8): clock 500 MHz, 64 DMA tags, cache sizes in entries.
 */
import type { NicKnobs } from '../nic.ts';

export interface HanguConfig {
  /** Picoseconds per clock cycle. */
  readonly clockPs: number;
  /** Cache sizes in entries: queue pair contexts, CQ contexts, MPT entries, MTT lines of four. Powers of two. */
  readonly qpcCache: number;
  readonly cqcCache: number;
  readonly mptCache: number;
  readonly mttCache: number;
  /** Associativity of all caches. */
  readonly cacheWays: number;
  /** DMA reads outstanding at once, if the link allows as many. */
  readonly dmaTags: number;
  /** Packets being gathered at once: by the requester, by the responder (READ), and of one queue pair. */
  readonly sendJobs: number;
  readonly responseJobs: number;
  readonly jobsPerQp: number;
  /** Queue pairs that the send scheduler has in service at once: waiting for a context, fetching a WQE. */
  readonly sendServices: number;
  /** Packets that a queue pair sends before the next one has its turn; the same for its READ responses. */
  readonly turnPackets: number;
  /** Transmit FIFO, as the time that the link takes to empty it (ns): with more to send, no packet is begun. */
  readonly egressNs: number;
  /** Completion queues that wait at once for a context or a translation. */
  readonly cqServices: number;
  /** Requests of one queue pair fetched and not completed. */
  readonly requestsPerQp: number;
  /** Unacknowledged packets of one queue pair. */
  readonly psnWindow: number;
  /** A packet of a long message asks for an acknowledgement every so many packets; at most the window. */
  readonly ackInterval: number;
  /** Pipeline latencies in cycles: doorbell to fetch, parse to gather, header and ICRC, receive pipeline, command. */
  readonly doorbellCycles: number;
  readonly parseCycles: number;
  readonly transmitCycles: number;
  readonly receiveCycles: number;
  readonly commandCycles: number;
  /** Q_Key check of UD; the published hardware has none. */
  readonly checkQkey: number;
  /** UD receive buffers begin with a 40-byte GRH area; the published hardware has none. */
  readonly udGrh: number;
  /** Personality of the CQE: owner byte written, WQE offset reported (0 = always 0). */
  readonly cqeOwner: number;
  readonly cqeWqe: number;
}

export const HANGU_DEFAULTS: HanguConfig = {
  clockPs: 2000,
  qpcCache: 1024,
  cqcCache: 1024,
  mptCache: 8192,
  mttCache: 16384,
  cacheWays: 4,
  dmaTags: 64,
  sendJobs: 32,
  responseJobs: 32,
  jobsPerQp: 8,
  sendServices: 32,
  turnPackets: 16,
  egressNs: 4000,
  cqServices: 16,
  requestsPerQp: 16,
  psnWindow: 128,
  ackInterval: 16,
  doorbellCycles: 30,
  parseCycles: 16,
  transmitCycles: 40,
  receiveCycles: 40,
  commandCycles: 40,
  checkQkey: 1,
  udGrh: 1,
  cqeOwner: 0,
  cqeWqe: 1,
};

const LOWEST: Partial<HanguConfig> = { qpcCache: 16, cqcCache: 16, mptCache: 64, mttCache: 64, cacheWays: 1 };
/** Far beyond any hardware, and within the memory of a run. */
const HIGHEST: Partial<HanguConfig> = { clockPs: 1e9, egressNs: 1e9, cacheWays: 16 };
const MOST = 1 << 20;

/** Names of all knobs as in plusargs: `QPC_CACHE` is `qpcCache`. */
export const HANGU_KNOBS: readonly string[] = Object.keys(HANGU_DEFAULTS).map((name) =>
  name.replace(/[A-Z]/g, '_$&').toUpperCase(),
);

/**
 * Knobs over defaults. Names are compared without case and underscores.
 * @throws RangeError naming an unknown knob, or a value that is not possible
 */
export function resolveHanguConfig(knobs: NicKnobs): HanguConfig {
  const config: Record<string, number> = { ...HANGU_DEFAULTS };
  for (const [knob, value] of Object.entries(knobs)) {
    const name = fieldOf(knob);
    if (name === undefined) throw new RangeError(`NIC knob ${knob} is unknown; known: ${HANGU_KNOBS.join(', ')}`);
    const mistake = checkHanguKnob(knob, value);
    if (mistake !== undefined) throw new RangeError(`NIC knob ${knob}=${value}: ${mistake}`);
    config[name] = value;
  }
  // A window without a packet that asks for an acknowledgement would never open again.
  config['ackInterval'] = Math.min(config['ackInterval'] as number, config['psnWindow'] as number);
  return config as unknown as HanguConfig;
}

/** What values a known knob takes, when `value` is none of them; otherwise undefined. */
export function checkHanguKnob(knob: string, value: number): string | undefined {
  const name = fieldOf(knob) as keyof HanguConfig;
  const lowest = LOWEST[name] ?? (HANGU_DEFAULTS[name] > 1 ? 1 : 0);
  const powerOfTwo = /Cache$|Ways$/.test(name);
  const highest = HIGHEST[name] ?? MOST;
  const inRange = Number.isInteger(value) && value >= lowest && value <= highest;
  if (inRange && !(powerOfTwo && (value & (value - 1)) !== 0)) return undefined;
  return `use ${powerOfTwo ? 'a power of two' : 'an integer'} from ${lowest} to ${highest}`;
}

function fieldOf(knob: string): keyof HanguConfig | undefined {
  const plain = knob.replaceAll('_', '').toLowerCase();
  return Object.keys(HANGU_DEFAULTS).find((name) => name.toLowerCase() === plain) as keyof HanguConfig | undefined;
}
