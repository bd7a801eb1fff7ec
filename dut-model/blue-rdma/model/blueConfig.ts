/**
 * Knobs of the blue-rdma model, set by `+NIC_<NAME>=`. Defaults follow blue-rdma.md sections 2 and 17: 250 MHz, 64 bytes
 * per cycle, rings of 4096 descriptors, one channel.
 */
import { BLUE_LIMITS, INDEX_SHIFT } from '../layout/limits.ts';
import { LEAST_DEPTH, MOST_DEPTH } from '../layout/registers.ts';
import type { NicKnobs } from '../../nic.ts';
import { type NicKnob, resolveKnobs } from '../../nicKnob.ts';

interface Row {
  readonly value: number;
  readonly says: string;
  readonly lowest?: number;
  readonly highest?: number;
  readonly powersOfTwo?: boolean;
  readonly corners?: readonly number[];
  readonly hardest?: readonly number[];
}

const LONGEST = 1e9;
const LATENCIES = [1, 1000];

/** When the NIC reports its bitmap although nothing was lost. */
export const ACK_REPORT = { idle: 0, afterLast: 1, both: 2 } as const;

const ROWS = {
  clockPs: { value: 4000, highest: LONGEST, says: 'length of a clock cycle, ps' },
  cycleBytes: { value: 64, highest: 4096, corners: [32, 512], says: 'bytes that the pipelines move in a clock cycle' },
  sendCycles: { value: 40, corners: LATENCIES, says: 'latency of the send pipeline, clock cycles' },
  receiveCycles: { value: 40, corners: LATENCIES, says: 'latency of the receive pipeline, clock cycles' },
  commandCycles: { value: 40, corners: LATENCIES, says: 'latency of a command, clock cycles' },
  batchCycles: {
    value: 15,
    lowest: 0,
    corners: [0, 200],
    says: 'how long a report waits for others to fill a block with, clock cycles',
  },
  idleCycles: {
    value: 5000,
    highest: LONGEST,
    corners: [500, 10_000],
    says: 'quiet time of a queue pair after which its bitmap is reported, clock cycles',
  },
  cnpCycles: {
    value: 8192,
    highest: LONGEST,
    says: 'least distance of congestion notifications of a queue pair, clock cycles',
  },
  ringDepth: {
    value: MOST_DEPTH,
    lowest: LEAST_DEPTH,
    highest: MOST_DEPTH,
    powersOfTwo: true,
    corners: [LEAST_DEPTH, 64],
    says: 'descriptors in each ring',
  },
  channels: {
    value: 1,
    highest: BLUE_LIMITS.maxChannels,
    powersOfTwo: true,
    hardest: [2, BLUE_LIMITS.maxChannels],
    says: 'channels: a send ring and a report ring each',
  },
  qpEntries: {
    value: BLUE_LIMITS.maxQps,
    lowest: 2,
    highest: 1 << (24 - INDEX_SHIFT),
    says: 'queue pairs in the table',
  },
  mrEntries: { value: BLUE_LIMITS.maxMrs, highest: 1 << (24 - INDEX_SHIFT), says: 'regions in the table' },
  pageEntries: { value: BLUE_LIMITS.pageEntries, highest: BLUE_LIMITS.pageEntries, says: 'entries of the page table' },
  dmaTags: { value: 32, corners: [1, 2, 256], says: 'DMA reads outstanding at once, if the link allows as many' },
  sendJobs: { value: 32, corners: [1, 3], says: 'packets whose payload is read at once' },
  egressNs: {
    value: 4000,
    highest: LONGEST,
    corners: [1, 400],
    says: 'transmit FIFO, as the time that the link takes to empty it, ns: with more to send, no packet is begun',
  },
  macBuffer: { value: 65_536, lowest: 4224, highest: 1 << 30, says: 'receive buffer of the MAC, bytes' },
  reportFifo: {
    value: 16,
    lowest: 8,
    highest: 32,
    powersOfTwo: true,
    corners: [8],
    says: 'reports that wait in the NIC for a place in their ring before the receive pipeline stalls',
  },
  ackReport: {
    value: ACK_REPORT.idle,
    lowest: 0,
    highest: 2,
    corners: [1, 2],
    says: 'bitmaps are reported 0 when a queue pair is idle, 1 after the last packet of a message, 2 both',
  },
  psnFloor: {
    value: 1,
    lowest: 0,
    highest: 1,
    says: 'payload below the floor that the driver has set is discarded; the published hardware has no floor',
  },
} satisfies Record<string, Row>;

/** Value of every knob. */
export type BlueConfig = Readonly<Record<keyof typeof ROWS, number>>;

const FIELDS = Object.keys(ROWS) as readonly (keyof BlueConfig)[];
const MOST = 1 << 20;

const BLUE_DEFAULTS = Object.fromEntries(FIELDS.map((field) => [field, ROWS[field].value])) as BlueConfig;

/** In the order of the fields. Names are as in plusargs: `RING_DEPTH` is `ringDepth`. */
export const BLUE_KNOBS: readonly NicKnob[] = FIELDS.map((field) => {
  const { value, says, lowest = 1, highest = MOST, powersOfTwo = false, corners = [], hardest }: Row = ROWS[field];
  const name = field.replace(/[A-Z]/g, '_$&').toUpperCase();
  return {
    name,
    description: says,
    default: value,
    lowest,
    highest,
    powersOfTwo,
    corners,
    ...(hardest && { hardest }),
  };
});

/**
 * Knobs over defaults. Names are compared without case and underscores.
 * @throws RangeError naming an unknown knob, or a value that is not possible
 */
export function resolveBlueConfig(knobs: NicKnobs): BlueConfig {
  return resolveKnobs(BLUE_KNOBS, FIELDS, BLUE_DEFAULTS, knobs);
}
