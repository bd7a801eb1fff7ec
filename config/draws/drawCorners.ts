/**
 * Draws corners that coincide, `+DRAW_CORNERS`: ends of connections that differ, faults of the link and of PCIe within the same
 * microseconds, some of them of what is sent again, resets of NICs, numbers that come again at once, and small caches with
 * completion events.
 *
 * Everything comes from streams of its own, after all that is drawn otherwise: without it no run is another one. Rules are
 * added to those that were drawn; what is given stays.
 */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import type { DraftValues } from '../draftValues.ts';
import { isLegal } from '../derivedChecks.ts';
import type { ParameterName, ParameterValues } from '../table/parameterTable.ts';
import { ACK_TIMEOUTS, waitsLong } from './ackTimeouts.ts';

/** Parameters that coincide, how often, and in which kind of test. */
interface Corner {
  readonly name: string;
  readonly chance: number;
  readonly test: 'sequence' | 'both';
  readonly draw: (stream: RandomStream, draft: DraftValues, limits: DeviceLimits) => Partial<DraftValues>;
}

/** Bringing up takes some 150 us; a burst is as long as a few messages, or a time-out. */
const [FIRST_BURST, LAST_BURST] = [150, 900];
const BURSTS_US = [5, 20, 80] as const;
const CHANCES = [10, 30, 60] as const;
const OF_LINK = ['drop', 'drop', 'corrupt field=icrc', 'duplicate after=1us', 'delay by=1us..20us', 'reorder by=1..4'];
const WHICH = ['', ' opcode=ack', ' opcode=nak', ' opcode=request', ' opcode=response', ' position=last'];
const OF_PCIE = ['ur', 'ca', 'poison', 'lose'];
const AREAS = ['data', 'queue', 'data,queue'];

const CORNERS: readonly Corner[] = [
  { name: 'unequal', chance: 0.5, test: 'both', draw: (s) => ({ UNEQUAL_PCT: s.pick([30, 60, 100]) }) },
  { name: 'bursts', chance: 0.6, test: 'sequence', draw: drawBursts },
  { name: 'soon', chance: 0.5, test: 'sequence', draw: () => ({ NUMBERS_SOON: true, KEYS_SOON: true }) },
  {
    name: 'few keys',
    chance: 0.3,
    test: 'sequence',
    draw: (s) => ({ KEY_TAGS: s.range(1, 2), KEYS_SOON: true, KEY_PCT: 20 }),
  },
  {
    name: 'least',
    chance: 0.3,
    test: 'sequence',
    draw: (s) => ({ RETRY_CNT: s.range(0, 1), RNR_RETRY: s.range(0, 1), MAX_RD_ATOMIC: s.range(1, 2) }),
  },
  { name: 'reset', chance: 0.15, test: 'sequence', draw: drawReset },
];

/** Draws into `draft`, in as many runs as `+DRAW_CORNERS` says; returns the parameters that were drawn. */
export function drawCorners(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
  limits: DeviceLimits,
): ParameterName[] {
  if (!hasCorners(draft as unknown as ParameterValues, seed, testName)) return [];
  const streams = new RandomStreams(seed, testName);
  const kind = draft.UVM_TEST_SEQ === '' ? 'scenario' : 'sequence';
  const drawn = new Set<ParameterName>();
  for (const { name, chance, test, draw } of CORNERS) {
    const stream = streams.stream('corners', name);
    if ((test !== 'both' && test !== kind) || !stream.chance(chance)) continue;
    const change = Object.entries(draw(stream, draft, limits)).filter(([key]) => !isGiven(key as ParameterName));
    const changed = { ...draft, ...Object.fromEntries(change) };
    if (!isLegal(changed as unknown as ParameterValues, kind === 'scenario', limits)) continue;
    Object.assign(draft, changed);
    for (const [key] of change) drawn.add(key as ParameterName);
  }
  return [...drawn];
}

/** Whether a run is one of those that draw corners. */
export function hasCorners({ DRAW_CORNERS }: ParameterValues, seed: number, testName: string): boolean {
  return DRAW_CORNERS > 0 && new RandomStreams(seed, testName).stream('corners', 'DRAW_CORNERS').chance(DRAW_CORNERS);
}

/** What may be drawn, for pages. */
export const CORNERS_DRAWN: readonly ParameterName[] = [
  ...(['UNEQUAL_PCT', 'NUMBERS_SOON', 'KEYS_SOON', 'KEY_TAGS', 'KEY_PCT', 'RETRY_CNT', 'RNR_RETRY'] as const),
  ...(['MAX_RD_ATOMIC', 'NET_FAULT', 'PCIE_FAULT', 'ACK_TIMEOUT'] as const),
];

/**
 * Several faults of the link and of PCIe on one host at one time, and in two of three bursts faults of what is sent again then: an
 * error in the middle of the recovery from another.
 */
function drawBursts(
  stream: RandomStream,
  draft: DraftValues,
  { failedReads = true }: DeviceLimits,
): Partial<DraftValues> {
  const link: string[] = [];
  const pcie: string[] = [];
  for (let n = stream.range(1, 3); n > 0; n--) {
    const host = stream.range(0, Number(draft.HOST_NUM) - 1);
    const from = stream.range(FIRST_BURST, LAST_BURST);
    const span = stream.pick(BURSTS_US);
    const window = `host=${host} from=${from}us until=${from + span}us`;
    for (let rules = stream.range(1, 3); rules > 0; rules--)
      link.push(`${stream.pick(OF_LINK)}${stream.pick(WHICH)} ${window} probability=${stream.pick(CHANCES)}%`);
    if (stream.chance(2 / 3))
      link.push(`drop transmission=retransmission from=${from}us until=${from + 10 * span}us probability=30%`);
    for (let rules = stream.range(0, 2); rules > 0 && failedReads; rules--)
      pcie.push(`${stream.pick(OF_PCIE)} area=${stream.pick(AREAS)} ${window} probability=${stream.pick([2, 10])}%`);
    if (stream.chance(0.3)) pcie.push(`back_pressure by=1us..20us ${window} probability=20%`);
  }
  const timeout = stream.pick(ACK_TIMEOUTS);
  return {
    NET_FAULT: withRules(draft.NET_FAULT, link),
    ...(pcie.length === 0 ? {} : { PCIE_FAULT: withRules(draft.PCIE_FAULT, pcie) }),
    ...(waitsLong(Number(draft.ACK_TIMEOUT)) ? { ACK_TIMEOUT: timeout } : {}),
  };
}

/** A NIC that is reset among the traffic, where its software can take that. */
function drawReset(stream: RandomStream, draft: DraftValues, { nicReset = true }: DeviceLimits): Partial<DraftValues> {
  const host = stream.range(0, Number(draft.HOST_NUM) - 1);
  const rule = `nic_reset host=${host} from=${stream.range(FIRST_BURST, 4 * LAST_BURST)}us`;
  const timeout = stream.pick(ACK_TIMEOUTS);
  if (!nicReset) return {};
  return {
    NET_FAULT: withRules(draft.NET_FAULT, [rule]),
    ...(waitsLong(Number(draft.ACK_TIMEOUT)) ? { ACK_TIMEOUT: timeout } : {}),
  };
}

function withRules(drawn: number | string | boolean, more: readonly string[]): string {
  const rules = more.map((rule) => `${rule} optional`);
  return [...(drawn === '' ? [] : [String(drawn)]), ...rules].join('; ');
}
