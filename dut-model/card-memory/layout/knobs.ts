/** Knobs of the card beside those of HanGu. Both sides, the NIC and its software, read them. */
import { type CardLayout, cardLayout, FULL_SUB_WINDOW_LOG, USUAL_SUB_WINDOW_LOG } from './geometry.ts';
import { BURST_BYTES } from './limits.ts';
import { APERTURE, MOST_WINDOWS } from './registers.ts';

/** Row of a knob, as `NicKnob` has it without its name. */
interface Row {
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
  readonly corners: readonly number[];
  readonly says: string;
}

const MOST = 1e9;
/** Bits [29:27] of the upper half, which no address of host memory has. */
const INBOUND_UNIT_HI = 2 ** 27;

export const CARD_ROWS = {
  subWindowLog: {
    value: USUAL_SUB_WINDOW_LOG,
    lowest: USUAL_SUB_WINDOW_LOG,
    highest: FULL_SUB_WINDOW_LOG,
    corners: [20, FULL_SUB_WINDOW_LOG],
    says: 'log2 of the bytes of a sub-window, of which there are 64: 28 is the card of 16 GiB',
  },
  interleaveLog: {
    value: 0,
    lowest: 0,
    highest: 12,
    corners: [8, 10, 12],
    says: 'log2 of the bytes that lie together in one bank before the next one has its turn, 8 to 12; 0: one bank follows the other',
  },
  ddrPeakMbps: {
    value: 153_600,
    lowest: 1,
    highest: MOST,
    corners: [2_000, 20_000],
    says: 'peak rate of a bank, both directions together, Mb/s',
  },
  ddrEfficiencyPct: {
    value: 80,
    lowest: 1,
    highest: 100,
    corners: [],
    says: 'share of the peak rate of a bank that bursts have, %',
  },
  ddrLatencyNs: {
    value: 100,
    lowest: 0,
    highest: MOST,
    corners: [0, 3000, 20_000],
    says: 'from the end of a burst to its data, and to the moment at which others see a write, ns',
  },
  apertureNs: {
    value: 200,
    lowest: 0,
    highest: MOST,
    corners: [0, 5000],
    says: 'from the arrival of a write to the aperture to its bank, ns',
  },
  ddrTurnaroundNs: {
    value: 15,
    lowest: 0,
    highest: MOST,
    corners: [0, 200],
    says: 'a bank changes from reads to writes or back, ns',
  },
  apertureMode: {
    value: APERTURE.full,
    lowest: APERTURE.full,
    highest: APERTURE.window,
    corners: [APERTURE.window],
    says: 'how software reaches memory on the card: 0 FULL, an aperture of all bytes; 1 WINDOW, windows that select a sub-window each',
  },
  windows: {
    value: 1,
    lowest: 1,
    highest: MOST_WINDOWS,
    corners: [2, MOST_WINDOWS],
    says: 'windows of the aperture, in mode WINDOW',
  },
  inbound: {
    value: 0,
    lowest: 0,
    highest: 7,
    corners: [],
    says: 'what the bridge of the host adds to addresses of its memory, in units of 2^59: the card reaches them there',
  },
  calibrationNs: {
    value: 0,
    lowest: 0,
    highest: MOST,
    corners: [],
    says: 'from power-up, or from a request of software, until a bank is calibrated, ns',
  },
  ddrBatch: {
    value: 8,
    lowest: 1,
    highest: 64,
    corners: [1],
    says: 'bursts of one direction that a bank serves in a row while others wait',
  },
} as const satisfies Record<string, Row>;

export type CardConfig = Readonly<Record<keyof typeof CARD_ROWS, number>>;

const FIELDS = Object.keys(CARD_ROWS) as readonly (keyof CardConfig)[];

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

const FIELD_OF: ReadonlyMap<string, keyof CardConfig> = new Map(FIELDS.map((field) => [field.toLowerCase(), field]));

/** Parts knobs of the card from those of HanGu. Names are compared without case and underscores. */
export function partKnobs(knobs: Readonly<Record<string, number>>): {
  readonly card: CardConfig;
  readonly others: Record<string, number>;
} {
  const card: Record<keyof CardConfig, number> = Object.fromEntries(
    FIELDS.map((field) => [field, CARD_ROWS[field].value]),
  ) as Record<keyof CardConfig, number>;
  const others: Record<string, number> = {};
  for (const [name, value] of Object.entries(knobs)) {
    const field = FIELD_OF.get(plain(name));
    if (field === undefined) others[name] = value;
    else card[field] = value;
  }
  return { card, others };
}

const LEAST_UNIT_LOG = 8;
const PS_PER_NS = 1000;

/** How the card is built whose knobs are these, resolved. */
export function layoutOf({ subWindowLog, interleaveLog, apertureMode, windows }: CardConfig): CardLayout {
  const unit = interleaveLog < LEAST_UNIT_LOG ? 0 : 2 ** interleaveLog;
  return cardLayout(subWindowLog, unit, apertureMode === APERTURE.window ? windows : 0);
}

/** The same of knobs as they are typed. */
export function cardLayoutOf(knobs: Readonly<Record<string, number>>): CardLayout {
  return layoutOf(partKnobs(knobs).card);
}

/** What the bridge of the host adds to the upper half of addresses of host memory, with knobs as they are typed. */
export function inboundHiOf(knobs: Readonly<Record<string, number>>): number {
  return partKnobs(knobs).card.inbound * INBOUND_UNIT_HI;
}

/** Longest time in ps that a bank takes for a burst which waits for no other one, with knobs as they are typed. */
export function burstTimeOf(knobs: Readonly<Record<string, number>>): number {
  const { ddrPeakMbps, ddrEfficiencyPct, ddrLatencyNs, ddrTurnaroundNs, apertureNs } = partKnobs(knobs).card;
  const transferPs = (BURST_BYTES * 8e8) / (ddrPeakMbps * ddrEfficiencyPct);
  return Math.ceil(transferPs) + (ddrLatencyNs + ddrTurnaroundNs + apertureNs) * PS_PER_NS;
}

/** For `--list-knobs` and for draws. */
export const CARD_KNOBS = FIELDS.map((field) => {
  const { value, says, lowest, highest, corners }: Row = CARD_ROWS[field];
  return {
    name: field.replace(/[A-Z]/g, '_$&').toUpperCase(),
    description: says,
    default: value,
    lowest,
    highest,
    corners,
  };
});
