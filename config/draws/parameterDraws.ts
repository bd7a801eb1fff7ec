/**
 * How `test_random` draws each parameter, in solve order. The budget of requests and bytes keeps a run at some ten
 * milliseconds.
 */
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import { MTU_BYTES } from '../../rdma/verbs.ts';
import { MAX_REQUESTS, receivesOf } from '../derivedChecks.ts';
import type { DraftValues } from '../draftValues.ts';
import type { ParameterName, ParameterValues } from '../table/parameterTable.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { LANE, laneStart } from '../scenario/drawn/randomLayout.ts';
import { unitBytes } from '../runConfig.ts';

/** Draws a value of a parameter; sees those before it and those that are given. */
export type Draw = (stream: RandomStream, draft: DraftValues) => number | string | boolean;
type Weights<T> = readonly (readonly [weight: number, value: T])[];

/** Requests of all hosts together, and their payload in bytes, that a drawn run stays below. */
const REQUEST_BUDGET = 320;
const BYTE_BUDGET = 1 << 20;
const MAX_QPS_DRAWN = 24;
const MTUS = MTU_BYTES.slice(1);
const SIZES = [128, 256, 512, 1024, 2048, 4096] as const;
/** Most places of a queue besides those that a doorbell fills. */
const SPARE = [3, 40, 400] as const;
const PCIE_LATENCY = weighted([
  [60, 200],
  [15, 0],
  [15, 1000],
  [10, 3000],
]);

/** Solve order, first to last. */
export const DRAWS: readonly (readonly [ParameterName, Draw])[] = [
  [
    'HOST_NUM',
    weighted([
      [80, 2],
      [10, 3],
      [6, 4],
      [1, 5],
      [1, 6],
      [1, 7],
      [1, 8],
    ]),
  ],
  [
    'PROC_NUM',
    weighted([
      [40, 2],
      [20, 1],
      [20, 3],
      [15, 4],
      [5, 7],
    ]),
  ],
  ['RC_QP_NUM', (s, d) => (s.chance(0.85) ? qpShare(s, d) : 0)],
  ['UC_QP_NUM', (s, d) => (s.chance(0.4) ? qpShare(s, d) : 0)],
  ['UD_QP_NUM', lastQpShare],
  [
    'SHARED_CQ',
    weighted([
      [50, 1],
      [20, 0],
      [15, 2],
      [15, 3],
    ]),
  ],
  ['SPLIT_CQ', (s) => s.chance(0.3)],
  ['ONE_SIDE_LAUNCH', (s) => s.chance(0.12)],
  [
    'DB_NUM',
    weighted([
      [40, 1],
      [25, 2],
      [20, 3],
      [10, 4],
      [5, 6],
    ]),
  ],
  ['READ_WQE_NUM', (s, d) => (num(d, 'RC_QP_NUM') > 0 ? requestShare(s, d) : 0)],
  ['WRITE_WQE_NUM', (s, d) => (num(d, 'RC_QP_NUM') + num(d, 'UC_QP_NUM') > 0 ? requestShare(s, d) : 0)],
  ['SEND_WQE_NUM', lastRequestShare],
  [
    'SG_NUM',
    weighted([
      [25, 1],
      [20, 2],
      [20, 3],
      [10, 4],
      [10, 5],
      [11, 6],
      [2, 9],
      [2, 15],
    ]),
  ],
  [
    'MAX_INLINE',
    weighted([
      [55, 0],
      [15, 12],
      [15, 60],
      [15, 188],
    ]),
  ],
  ['MTU', (s) => s.pick(MTUS)],
  ['DATA_CNT', drawDataCount],
  [
    'IMM',
    weighted([
      [40, 0],
      [40, 30],
      [10, 70],
      [10, 100],
    ]),
  ],
  [
    'FENCE',
    weighted([
      [60, 0],
      [30, 20],
      [10, 100],
    ]),
  ],
  [
    'SOLICITED',
    weighted([
      [60, 0],
      [30, 40],
      [10, 100],
    ]),
  ],
  ['CQ_EVENT', (s) => s.chance(0.25)],
  [
    'PSN',
    weighted([
      [60, 'random'],
      [35, 'wrap'],
      [5, '0'],
    ]),
  ],
  ['IPV6', (s) => s.chance(0.25)],
  ['TRAFFIC_CLASS', (s) => (s.chance(0.5) ? s.range(0, 255) : 0)],
  ['FLOW_LABEL', (s) => (s.chance(0.5) ? s.range(0, 0xf_ffff) : 0)],
  ['HOP_LIMIT', (s) => (s.chance(0.5) ? s.range(1, 255) : 64)],
  [
    'MAX_RD_ATOMIC',
    weighted([
      [60, 16],
      [20, 1],
      [20, 4],
    ]),
  ],
  [
    'MR_GRANULARITY',
    weighted([
      [40, 'sg'],
      [30, 'request'],
      [30, 'qp'],
    ]),
  ],
  ['DATA_OFFSET', (s, d) => (s.chance(0.3) ? drawDataOffset(s, d) : 0)],
  ['PAGE_SCATTER', (s) => s.chance(0.9)],
  ['PCIE_MPS', (s) => s.pick(SIZES)],
  ['PCIE_MRRS', (s) => s.pick(SIZES)],
  ['PCIE_RCB', (s) => s.pick([64, 128])],
  [
    'PCIE_CPL_SPLIT',
    weighted([
      [40, 0],
      [30, 30],
      [30, 100],
    ]),
  ],
  [
    'PCIE_CPL_REORDER',
    weighted([
      [50, 0],
      [30, 20],
      [20, 60],
    ]),
  ],
  [
    'PCIE_TAGS',
    weighted([
      [40, 256],
      [30, 32],
      [15, 8],
      [15, 2],
    ]),
  ],
  [
    'LINK_GBPS',
    weighted([
      [60, 100],
      [20, 25],
      [20, 400],
    ]),
  ],
  [
    'LINK_LATENCY_NS',
    weighted([
      [60, 500],
      [20, 50],
      [20, 5000],
    ]),
  ],
  [
    'PCIE_GBPS',
    weighted([
      [60, 128],
      [15, 32],
      [10, 8],
      [15, 512],
    ]),
  ],
  ['PCIE_UP_NS', PCIE_LATENCY],
  ['PCIE_DOWN_NS', PCIE_LATENCY],
  [
    'PCIE_MEMORY_NS',
    weighted([
      [60, 0],
      [20, 100],
      [20, 1000],
    ]),
  ],
  [
    'ACK_TIMEOUT',
    weighted([
      [60, 18],
      [15, 16],
      [10, 20],
      [15, 0],
    ]),
  ],
  ['RETRY_CNT', (s) => (s.chance(0.5) ? 7 : s.range(0, 7))],
  ['RNR_RETRY', (s) => (s.chance(0.5) ? 7 : s.range(0, 7))],
  ['MIN_RNR_TIMER', (s) => (s.chance(0.5) ? 1 : s.range(0, 31))],
  ['MAX_SEND_WR', (s, d) => (s.chance(0.3) ? requests(d) + s.range(0, s.pick(SPARE)) : 0)],
  ['MAX_RECV_WR', (s, d) => (s.chance(0.3) ? receives(d) + s.range(0, s.pick(SPARE)) : 0)],
];

function weighted<T extends number | string>(table: Weights<T>): Draw {
  return (stream) => stream.weighted(table);
}

export function num(d: DraftValues, name: ParameterName): number {
  return Number(d[name]);
}

/** Some queue pairs of one service, within the total; few more often than many. */
function qpShare(s: RandomStream, d: DraftValues): number {
  const room = MAX_QPS_DRAWN - qps(d);
  const most = Math.min(
    room,
    s.weighted([
      [50, 2],
      [30, 5],
      [20, 11],
    ]),
  );
  return most < 1 ? 0 : s.range(1, most);
}

/** UD comes last: there must be some queue pair. */
function lastQpShare(s: RandomStream, d: DraftValues): number {
  return qps(d) === 0 || s.chance(0.3) ? qpShare(s, d) : 0;
}

function qps(d: DraftValues): number {
  return num(d, 'RC_QP_NUM') + num(d, 'UC_QP_NUM') + num(d, 'UD_QP_NUM');
}

function requests(d: DraftValues): number {
  return num(d, 'WRITE_WQE_NUM') + num(d, 'READ_WQE_NUM') + num(d, 'SEND_WQE_NUM');
}

/** As many for SENDs as there are SENDs. */
function receives(d: DraftValues): number {
  const [RECV_WQE_NUM, WRITE_WQE_NUM, IMM] = [num(d, 'SEND_WQE_NUM'), num(d, 'WRITE_WQE_NUM'), num(d, 'IMM')];
  return receivesOf({ RECV_WQE_NUM, WRITE_WQE_NUM, IMM });
}

/** Some requests of one kind, within the budget and the limit of 30 for all kinds; a quarter of the time none. */
function requestShare(s: RandomStream, d: DraftValues): number {
  const places = Math.max(1, num(d, 'HOST_NUM') * qps(d) * num(d, 'DB_NUM'));
  const room = Math.min(MAX_REQUESTS, Math.max(2, Math.floor(REQUEST_BUDGET / places))) - requests(d);
  const most = Math.min(
    room,
    s.weighted([
      [40, 2],
      [40, 6],
      [20, 16],
    ]),
  );
  return most < 1 || s.chance(0.25) ? 0 : s.range(1, most);
}

/** SEND comes last, because every service has it: where the others make no work, there must be one. */
function lastRequestShare(s: RandomStream, d: DraftValues): number {
  const share = requestShare(s, d);
  const rc = num(d, 'RC_QP_NUM');
  const others = rc * requests(d) + num(d, 'UC_QP_NUM') * num(d, 'WRITE_WQE_NUM');
  return others === 0 ? Math.max(1, share) : share;
}

/** So that some data lie on either side of a multiple of 4 GiB: it falls into what one use of memory places first. */
function drawDataOffset(s: RandomStream, d: DraftValues): number {
  const values = d as unknown as ParameterValues;
  const doorbells = Math.max(1, num(d, 'DB_NUM'));
  const begin = laneStart(values, s.range(0, doorbells - 1), s.pick(Object.values(LANE)));
  return TWO_32 - begin - s.range(1, 2 ** s.range(4, 14));
}

/** Bytes per entry at most: tiny, around the MTU, pages; within the budget of bytes. */
function drawDataCount(s: RandomStream, d: DraftValues): number {
  const mtu = num(d, 'MTU');
  const entries = Math.max(1, num(d, 'HOST_NUM') * qps(d) * num(d, 'DB_NUM') * requests(d) * num(d, 'SG_NUM'));
  const most = Math.max(16, Math.floor((2 * BYTE_BUDGET) / entries));
  const kind = s.weighted([
    [20, s.range(1, 64)],
    [30, mtu + s.range(-3, 3)],
    [20, 4096 + s.range(-3, 3)],
    [30, s.range(64, 16_384)],
  ]);
  return Math.ceil(Math.min(most, kind) / unitBytes(String(d.DATA_UNIT)));
}
