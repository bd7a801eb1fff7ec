/** Rows of the parameter table: what `test_perf` measures. `hca_perf` gives them. */
import type { Parameter } from './parameter.ts';

/** Largest message of the measurements, as in perftest. */
export const MOST_PERF_BYTES = 2 ** 23;

/** Measurements by the names that users of perftest know. */
export const PERF_TESTS = [
  'send_bw',
  'send_lat',
  'write_bw',
  'write_lat',
  'read_bw',
  'read_lat',
  'atomic_bw',
  'atomic_lat',
] as const;
export type PerfTest = (typeof PERF_TESTS)[number];

/** See `PARAMETERS`. */
export const PERF_PARAMETERS = [
  {
    name: 'PERF',
    group: 'run',
    kind: 'choice',
    choices: PERF_TESTS,
    default: 'send_bw',
    doc: 'Measurement of `test_perf`: bandwidth or latency of SEND, WRITE, READ or atomics. `hca_perf` sets this and the following parameters.',
  },
  {
    name: 'PERF_BYTES',
    group: 'run',
    kind: 'int',
    min: 1,
    max: MOST_PERF_BYTES,
    default: '65536',
    unit: 'bytes',
    doc: 'Length of a message of `test_perf`; atomics have 8 bytes. `SEQ_COUNT` is the number of messages.',
  },
  {
    name: 'PERF_TX_DEPTH',
    group: 'run',
    kind: 'int',
    min: 1,
    max: 15_000,
    default: '128',
    unit: 'requests',
    doc: 'Outstanding requests of each queue pair in bandwidth measurements of `test_perf`.',
  },
  {
    name: 'PERF_RX_DEPTH',
    group: 'run',
    kind: 'int',
    min: 1,
    max: 16_384,
    default: '512',
    unit: 'receives',
    doc: 'Receives that `test_perf` keeps posted for SENDs.',
  },
  {
    name: 'PERF_INLINE',
    group: 'run',
    kind: 'int',
    min: 0,
    max: 188,
    default: '0',
    unit: 'bytes',
    doc: 'Messages of `test_perf` up to this length are inline; `MAX_INLINE` must be at least as large.',
  },
  {
    name: 'PERF_BIDIRECTIONAL',
    group: 'run',
    kind: 'switch',
    default: '0',
    doc: 'Both hosts send in bandwidth measurements of `test_perf`.',
  },
  {
    name: 'PERF_ATOMIC',
    group: 'run',
    kind: 'choice',
    choices: ['FETCH_AND_ADD', 'CMP_AND_SWAP'],
    default: 'FETCH_AND_ADD',
    doc: 'Atomic operation of `test_perf`.',
  },
  {
    name: 'PERF_WARM_UP',
    group: 'run',
    kind: 'int',
    min: 0,
    max: 15_000,
    default: '0',
    unit: 'messages',
    doc: 'Warm-up messages of each queue pair before `test_perf` measures, to fill the caches of the NIC.',
  },
  {
    name: 'PERF_LEAST_SHARE',
    group: 'run',
    kind: 'decimal',
    min: 0,
    max: 1,
    default: '0',
    doc: 'Minimum bandwidth in `test_perf`, as a share of the limit of link and PCIe (PERF_LIMIT). 0: none.',
  },
  {
    name: 'PERF_FAN_OUT',
    group: 'run',
    kind: 'switch',
    default: '0',
    doc: 'In bandwidth measurements of WRITEs: messages arrive on the first queue pair, and all queue pairs forward them from the same buffer. The figures are those of the forwarded messages.',
  },
  {
    name: 'PERF_EXPECTED_GBPS',
    group: 'run',
    kind: 'decimal',
    min: 0,
    max: 10_000,
    default: '0',
    unit: 'Gb/s',
    doc: 'Expected payload rate of all queue pairs together in bandwidth measurements of `test_perf`, both directions if both hosts send. A difference of 10 % is a PERF_LIMIT, and so is a queue pair with 10 % less than another. 0: none.',
  },
  {
    name: 'PERF_MOST_TIMES',
    group: 'run',
    kind: 'decimal',
    min: 0,
    max: 1000,
    default: '0',
    doc: 'Maximum latency in `test_perf`, as a multiple of the least latency of link and PCIe (PERF_LIMIT). 0: any.',
  },
] as const satisfies readonly Parameter[];
