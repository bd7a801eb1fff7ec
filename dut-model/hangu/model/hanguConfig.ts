/**
 * Knobs of the HanGu model, set by `+NIC_<NAME>=`. Defaults follow the first hardware generation
 * (hangu-rtl-facts.md 3.1, 7.3, 8): clock 500 MHz, 64 DMA tags, cache sizes in entries.
 */
import { AQ_MAX_DEPTH, AQ_MIN_GROUP } from '../layout/ackQueue.ts';
import type { NicKnobs } from '../../nic.ts';
import { type NicKnob, resolveKnobs } from '../../nicKnob.ts';

/** Default, meaning, and where they differ from the usual the limits of a knob. */
interface Row {
  readonly value: number;
  readonly says: string;
  readonly lowest?: number;
  readonly highest?: number;
  readonly powersOfTwo?: boolean;
  /** None for what software has to know of. */
  readonly corners?: readonly number[];
  /** What runs whose requests change keys choose from as well. */
  readonly ofKeys?: readonly number[];
}

/** Far beyond any hardware, and within the memory of a run. */
const MOST = 1 << 20;
const LONGEST = 1e9;
/** Corners of latencies, clock cycles. */
const LATENCIES = [1, 1000];

const ROWS = {
  clockPs: { value: 2000, highest: LONGEST, says: 'length of a clock cycle, ps' },
  qpcCache: cache(1024, 4, 'queue pair contexts in the cache'),
  cqcCache: cache(1024, 4, 'completion queue contexts in the cache'),
  mptCache: { ...cache(8192, 8, 'MPT entries in the cache'), ofKeys: [8] },
  mttCache: cache(16384, 8, 'MTT lines of four entries in the cache'),
  cacheWays: { ...cache(4, 1, 'associativity of all caches'), highest: 16, corners: [1, 2, 16] },
  dmaTags: { value: 64, corners: [1, 2, 256], says: 'DMA reads outstanding at once, if the link allows as many' },
  cplTimeoutNs: {
    value: 4_000_000,
    lowest: 0,
    highest: LONGEST,
    says: 'a DMA read without an answer is given up after this time, ns; 0: never',
  },
  sendJobs: { value: 32, corners: [1, 3], says: 'packets that the requester gathers at once' },
  responseJobs: { value: 32, corners: [1, 3], says: 'READ responses that the responder gathers at once' },
  jobsPerQp: { value: 8, corners: [1, 2], says: 'packets of one queue pair that are gathered at once' },
  sendServices: {
    value: 32,
    corners: [1, 2],
    says: 'queue pairs that the send scheduler has in service at once: waiting for a context, fetching a WQE',
  },
  turnPackets: {
    value: 16,
    corners: [1, 2],
    says: 'packets that a queue pair sends before the next one has its turn; the same for its READ responses',
  },
  egressNs: {
    value: 4000,
    highest: LONGEST,
    corners: [1, 400],
    says: 'transmit FIFO, as the time that the link takes to empty it, ns: with more to send, no packet is begun',
  },
  cqServices: {
    value: 16,
    corners: [1, 2],
    says: 'completion queues that wait at once for a context or a translation',
  },
  requestsPerQp: { value: 16, corners: [1, 2, 5], says: 'requests of one queue pair fetched and not completed' },
  psnWindow: { value: 128, corners: [1, 2, 7], says: 'unacknowledged packets of one queue pair' },
  ackInterval: {
    value: 16,
    highest: 64,
    corners: [1, 3, 64],
    says: 'a packet of a long message asks for an acknowledgement every so many packets; at most the window',
  },
  doorbellCycles: { value: 30, corners: LATENCIES, says: 'latency from doorbell to fetch, clock cycles' },
  parseCycles: {
    value: 16,
    corners: LATENCIES,
    says: 'latency from the parsed WQE to the gathering of its data, clock cycles',
  },
  transmitCycles: { value: 40, corners: LATENCIES, says: 'latency of headers and ICRC, clock cycles' },
  receiveCycles: { value: 40, corners: LATENCIES, says: 'latency of the receive pipeline, clock cycles' },
  atomicCycles: {
    value: 8,
    corners: LATENCIES,
    says: 'latency from the word of an atomic to its write and to its answer, clock cycles',
  },
  commandCycles: { value: 40, corners: LATENCIES, says: 'latency of a command, clock cycles' },
  aqDepth: {
    value: 256,
    lowest: 16,
    highest: AQ_MAX_DEPTH,
    powersOfTwo: true,
    corners: [16, 1024],
    says: 'results of atomics that a queue pair keeps for repeats, in its ACK queue in host memory',
  },
  aqGroup: {
    value: 64,
    lowest: AQ_MIN_GROUP,
    highest: AQ_MAX_DEPTH,
    powersOfTwo: true,
    corners: [AQ_MIN_GROUP, AQ_MAX_DEPTH],
    says: 'entries of an ACK queue that a look-up reads; as many as there are, or more, is without groups',
  },
  aqCache: { value: 64, corners: [1, 4], says: 'contexts of ACK queues on the chip' },
  aqCycles: { value: 8, corners: LATENCIES, says: 'latency of a look-up by the groups of an ACK queue, clock cycles' },
  aqRepeats: toggle(
    0,
    'READs and WRITEs have entries in the ACK queue too, of 32 bytes in place of 16 and at least 256 of them, and repeats are looked up there',
  ),
  atomicDiscard: toggle(
    0,
    'an atomic that fails its checks is dropped without a word, and whatever follows until it comes again; otherwise NAK',
  ),
  checkQkey: toggle(1, 'Q_Key check of UD; the published hardware has none'),
  udGrh: toggle(1, 'UD receive buffers begin with a 40-byte GRH area; the published hardware has none'),
  cqeOwner: toggle(0, 'CQEs say that the hardware owns them (owner byte 0x80), as those of one published design do'),
  ecn: toggle(0, 'marked data packets of connected queue pairs are answered with CNPs'),
  cnpNs: { value: 50_000, lowest: 0, highest: LONGEST, says: 'least time between CNPs of one queue pair, ns' },
  contextFatal: toggle(
    0,
    'a context that cannot be read stops all queue pairs, with DEVICE_FATAL; otherwise those that need it, with QP_FATAL',
  ),
  mwType2a: choiceOfKeys('memory windows of type 2 are of type 2A: their domain is not checked; otherwise 2B'),
  deregBound: choiceOfKeys(
    'a region is taken back also with windows bound, which open nothing then; otherwise that is refused',
  ),
  bindForeign: choiceOfKeys('windows of type 1 may be of another domain than the queue pair that binds them'),
  invNak: choiceOfKeys('a SEND that may not invalidate its key is answered with NAK 0x62; otherwise with nothing'),
  invProtection: choiceOfKeys('an invalidation that fails ends with LOC_PROT_ERR; otherwise with LOC_QP_OP_ERR'),
  invUnfenced: choiceOfKeys('LOCAL_INV waits for earlier requests only with the fence; otherwise for all'),
  cqeWqe: toggle(1, 'CQEs report the WQE offset; otherwise it is 0'),
} satisfies Record<string, Row>;

/** Value of every knob. */
export type HanguConfig = Readonly<Record<keyof typeof ROWS, number>>;

const FIELDS = Object.keys(ROWS) as readonly (keyof HanguConfig)[];

export const HANGU_DEFAULTS = Object.fromEntries(FIELDS.map((field) => [field, ROWS[field].value])) as HanguConfig;

/** In the order of the fields. Names are as in plusargs: `QPC_CACHE` is `qpcCache`. */
export const HANGU_KNOBS: readonly NicKnob[] = FIELDS.map((field) => {
  const {
    value,
    says,
    lowest = value > 1 ? 1 : 0,
    highest = MOST,
    powersOfTwo = false,
    corners = [],
    ofKeys,
  }: Row = ROWS[field];
  const name = field.replace(/[A-Z]/g, '_$&').toUpperCase();
  return { name, description: says, default: value, lowest, highest, powersOfTwo, corners, ...(ofKeys && { ofKeys }) };
});

/**
 * Knobs over defaults. Names are compared without case and underscores.
 * @throws RangeError naming an unknown knob, or a value that is not possible
 */
export function resolveHanguConfig(knobs: NicKnobs): HanguConfig {
  const config = resolveKnobs(HANGU_KNOBS, FIELDS, HANGU_DEFAULTS, knobs);
  // A window without a packet that asks for an acknowledgement would never open again.
  config.ackInterval = Math.min(config.ackInterval, config.psnWindow);
  return config;
}

function cache(value: number, lowest: number, says: string): Row {
  return { value, lowest, powersOfTwo: true, corners: [lowest, 4 * lowest], says };
}

function toggle(value: 0 | 1, says: string): Row {
  return { value, lowest: 0, highest: 1, says };
}

/** What hardware does differently with keys and windows. */
function choiceOfKeys(says: string): Row {
  return { ...toggle(0, says), ofKeys: [1] };
}
