/**
 * Draws what stimulus rarely has, `+DRAW_WIDE`: time-outs shorter than answers on slow links, queues of few and of many
 * entries, data on either side of 4 GiB, traffic classes, any addresses, atomics, completion queues that overflow, requests without a completion, keys that requests change, numbers of objects just below powers of two, more queue pairs,
 * messages of many packets, waves, and in one run of fifty thousands of messages on one connection, so that indices and counters come round.
 *
 * Everything comes from streams of its own, after what else is drawn, which it may replace; what is given stays.
 */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import { isLegal, receivesOf } from '../derivedChecks.ts';
import type { DraftValues } from '../draftValues.ts';
import { PARAMETERS, type ParameterName, type ParameterValues } from '../table/parameterTable.ts';

/** A set of parameters that are drawn together, how often, and in which kind of test. */
interface Reach {
  readonly name: string;
  readonly chance: number;
  readonly test: 'scenario' | 'sequence' | 'both';
  readonly draw: (stream: RandomStream, draft: DraftValues) => Partial<DraftValues>;
}

const LONG_RUNS = 1 / 50;
const DEEP = [255, 1023, 8191] as const;

const LONG: readonly Reach[] = [
  {
    name: 'long',
    chance: 1,
    test: 'sequence',
    draw: (s) => ({ ...oneConnection(s), SEQ_COUNT: 40 }),
  },
  {
    name: 'long',
    chance: 1,
    test: 'scenario',
    draw: (s) => ({
      ...oneConnection(s),
      ...{ DB_NUM: 10, SEND_WQE_NUM: 10, RECV_WQE_NUM: 10, WRITE_WQE_NUM: 10, READ_WQE_NUM: 10 },
      ...{ SG_NUM: 1, DATA_CNT: s.range(1, 3000), DATA_UNIT: 'B', MR_GRANULARITY: 'qp' },
    }),
  },
];

const REACHES: readonly Reach[] = [
  {
    name: 'impatient',
    chance: 0.2,
    test: 'both',
    draw: (s) => ({
      ACK_TIMEOUT: s.range(1, 5),
      LINK_GBPS: s.pick([1, 2, 10]),
      LINK_LATENCY_NS: s.pick([500, 20_000, 100_000]),
    }),
  },
  {
    name: 'depths',
    chance: 0.3,
    test: 'sequence',
    draw: (s) => ({ MAX_SEND_WR: s.pick([1, 2, 5, ...DEEP]), MAX_RECV_WR: s.pick([1, 2, 5, ...DEEP]) }),
  },
  {
    name: 'depths',
    chance: 0.3,
    test: 'scenario',
    draw: (s, d) => ({
      MAX_SEND_WR: requestsOf(d) + s.pick([0, ...DEEP]),
      MAX_RECV_WR: receives(d) + s.pick([0, ...DEEP]),
    }),
  },
  {
    name: 'carries',
    chance: 0.3,
    test: 'sequence',
    draw: (s) => ({ DATA_OFFSET: TWO_32 - s.range(1, 2 ** s.range(8, 17)) }),
  },
  {
    name: 'paths',
    chance: 0.5,
    test: 'sequence',
    draw: (s) => ({ TRAFFIC_CLASS: s.range(0, 255), FLOW_LABEL: s.range(0, 0xf_ffff), HOP_LIMIT: s.range(1, 255) }),
  },
  {
    name: 'many',
    chance: 0.15,
    test: 'sequence',
    draw: (s) => ({ RC_QP_NUM: s.range(5, 10), UC_QP_NUM: s.range(0, 5), UD_QP_NUM: s.range(0, 5), SEQ_COUNT: 1 }),
  },
  {
    name: 'packets',
    chance: 0.15,
    test: 'scenario',
    draw: (s) => ({
      ...{ MTU: 256, SG_NUM: 1, DB_NUM: 1, DATA_CNT: s.range(20_000, 60_000), DATA_UNIT: 'B' },
      ...{ RC_QP_NUM: s.range(0, 2), UC_QP_NUM: s.range(1, 2), SEND_WQE_NUM: 1, RECV_WQE_NUM: 1 },
      ...{ WRITE_WQE_NUM: s.range(0, 2), READ_WQE_NUM: s.range(0, 2) },
    }),
  },
  {
    name: 'numbers',
    chance: 0.4,
    test: 'both',
    draw: (s) => ({
      FIRST_QPN: belowPower(s, 5, 13),
      FIRST_CQN: belowPower(s, 5, 12),
      FIRST_KEY: belowPower(s, 5, 16),
      FIRST_MTT: belowPower(s, 5, 20),
    }),
  },
  { name: 'addresses', chance: 0.5, test: 'both', draw: () => ({ NET_ADDRESSES: 'any' }) },
  { name: 'atomics', chance: 0.4, test: 'both', draw: (s) => ({ ATOMIC_PCT: s.pick([10, 30, 60]) }) },
  {
    name: 'shared receives',
    chance: 0.3,
    test: 'sequence',
    draw: (s) => ({ SRQ_NUM: s.pick([1, 1, 2, 3]) }),
  },
  { name: 'waves', chance: 0.3, test: 'sequence', draw: (s) => ({ WAVE: s.pick([3, 8, 20]) }) },
  {
    name: 'overflow',
    chance: 0.25,
    test: 'sequence',
    draw: (s) => ({ CQ_INDEX: s.pick([1, 4, 16]), CQ_ENTRIES: s.pick([2, 8, 16, 32]) }),
  },
  { name: 'reads', chance: 0.15, test: 'both', draw: (s) => ({ MAX_RD_ATOMIC: s.pick([64, 255, 256]) }) },
  { name: 'handles', chance: 0.3, test: 'sequence', draw: (s) => ({ AH_PCT: s.pick([20, 60]) }) },
  { name: 'indices', chance: 0.3, test: 'both', draw: (s) => ({ FIRST_CQ_INDEX: 2 ** 18 - s.range(1, 40) }) },
  { name: 'keys', chance: 0.25, test: 'sequence', draw: (s) => ({ KEY_PCT: s.pick([5, 20, 40]) }) },
  { name: 'unsignaled', chance: 0.4, test: 'both', draw: (s) => ({ UNSIGNALED_PCT: s.pick([20, 50, 90]) }) },
];

/** Draws into `draft`, in as many runs as `+DRAW_WIDE` says; returns the parameters that were drawn. */
export function drawWide(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
  limits: DeviceLimits,
): ParameterName[] {
  const streams = new RandomStreams(seed, testName);
  const stream = (name: string): RandomStream => streams.stream('wide', name);
  if (!stream('DRAW_WIDE').chance(Number(draft.DRAW_WIDE))) return [];
  const kind = draft.UVM_TEST_SEQ === '' ? 'scenario' : 'sequence';
  const reaches = stream('LONG').chance(LONG_RUNS) ? LONG : REACHES;
  const drawn = new Set<ParameterName>();
  for (const { name, chance, test, draw } of reaches) {
    const own = stream(name);
    if ((test !== 'both' && test !== kind) || !own.chance(chance)) continue;
    const change = Object.entries(draw(own, draft)).filter(([key]) => !isGiven(key as ParameterName));
    const changed = { ...draft, ...Object.fromEntries(change) };
    if (!isLegal(changed as unknown as ParameterValues, kind === 'scenario', limits)) continue;
    Object.assign(draft, changed);
    for (const [key] of change) drawn.add(key as ParameterName);
  }
  return [...drawn];
}

/** What may be drawn in a kind of test. */
export function wideParameters(kind: 'scenario' | 'sequence'): ReadonlySet<ParameterName> {
  const stream = new RandomStreams(0, 'wide').stream('wide', 'names');
  const draft = Object.fromEntries(PARAMETERS.map(({ name }) => [name, 1])) as DraftValues;
  const reaches = [...LONG, ...REACHES].filter(({ test }) => test === 'both' || test === kind);
  return new Set(reaches.flatMap(({ draw }) => Object.keys(draw(stream, draft)) as ParameterName[]));
}

/** A few numbers below a power of two, so that the first carry comes early. */
function belowPower(stream: RandomStream, least: number, most: number): number {
  return 2 ** stream.range(least, most) - stream.range(1, 8);
}

function oneConnection(stream: RandomStream): Partial<DraftValues> {
  const reliable = stream.chance(0.7);
  const services = { RC_QP_NUM: reliable ? 1 : 0, UC_QP_NUM: reliable ? 0 : 1, UD_QP_NUM: 0 };
  return { HOST_NUM: 2, ...services, PSN: 'wrap' };
}

function requestsOf({ SEND_WQE_NUM, WRITE_WQE_NUM, READ_WQE_NUM }: DraftValues): number {
  return Number(SEND_WQE_NUM) + Number(WRITE_WQE_NUM) + Number(READ_WQE_NUM);
}

function receives({ SEND_WQE_NUM, WRITE_WQE_NUM, IMM }: DraftValues): number {
  return receivesOf({ RECV_WQE_NUM: Number(SEND_WQE_NUM), WRITE_WQE_NUM: Number(WRITE_WQE_NUM), IMM: Number(IMM) });
}
