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
    doc: 'What `test_perf` measures: bandwidth or latency of SEND, WRITE, READ or atomics. `hca_perf` gives it and the next ones.',
  },
  {
    name: 'PERF_BYTES',
    group: 'run',
    kind: 'int',
    min: 1,
    max: MOST_PERF_BYTES,
    default: '65536',
    unit: 'bytes',
    doc: 'Length of a message of `test_perf`; atomics have 8 bytes. `SEQ_COUNT` says how many there are.',
  },
  {
    name: 'PERF_TX_DEPTH',
    group: 'run',
    kind: 'int',
    min: 1,
    max: 15_000,
    default: '128',
    unit: 'requests',
    doc: 'Requests of each queue pair that `test_perf` keeps outstanding where it measures bandwidth.',
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
    doc: 'Messages of `test_perf` up to this length are inline; `MAX_INLINE` is to be as much.',
  },
  {
    name: 'PERF_BIDIRECTIONAL',
    group: 'run',
    kind: 'switch',
    default: '0',
    doc: 'Both hosts send where `test_perf` measures bandwidth.',
  },
  {
    name: 'PERF_ATOMIC',
    group: 'run',
    kind: 'choice',
    choices: ['FETCH_AND_ADD', 'CMP_AND_SWAP'],
    default: 'FETCH_AND_ADD',
    doc: 'Atomic that `test_perf` measures.',
  },
  {
    name: 'PERF_WARM_UP',
    group: 'run',
    kind: 'int',
    min: 0,
    max: 15_000,
    default: '0',
    unit: 'messages',
    doc: 'Messages of each queue pair that `test_perf` sends before it measures: caches of the NIC are warm then.',
  },
  {
    name: 'PERF_LEAST_SHARE',
    group: 'run',
    kind: 'decimal',
    min: 0,
    max: 1,
    default: '0',
    doc: 'Least share of what link and PCIe can carry that `test_perf` asks for where it measures bandwidth (PERF_LIMIT). 0: none.',
  },
  {
    name: 'PERF_FAN_OUT',
    group: 'run',
    kind: 'switch',
    default: '0',
    doc: 'Where `test_perf` measures bandwidth of WRITEs: messages come by the first queue pair, and all send them on from the buffer that they came into. The figures are those of what is sent on.',
  },
  {
    name: 'PERF_EXPECTED_GBPS',
    group: 'run',
    kind: 'decimal',
    min: 0,
    max: 10_000,
    default: '0',
    unit: 'Gb/s',
    doc: 'Payload of all queue pairs together that `test_perf` expects where it measures bandwidth, both directions if both hosts send: 10 % more or less are a PERF_LIMIT, as is a queue pair that has 10 % less than another. 0: none.',
  },
  {
    name: 'PERF_MOST_TIMES',
    group: 'run',
    kind: 'decimal',
    min: 0,
    max: 1000,
    default: '0',
    doc: 'How many times the least latency of link and PCIe `test_perf` permits where it measures latency (PERF_LIMIT). 0: any.',
  },
] as const satisfies readonly Parameter[];
