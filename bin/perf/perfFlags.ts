/** The flags of `hca_perf`: those of perftest by their names there, and those of the harness. */

import { PERF_TESTS, type PerfTest } from '../../config/table/perfParameters.ts';
import type { FlagTable } from '../cli/flagTable.ts';

const WHAT = 'What to measure:';
const WITH = 'On what:';
const OUTPUT = 'Output:';

export const PERF_FLAGS = {
  connection: {
    group: WHAT,
    type: 'string',
    value: 'service',
    alias: 'c',
    describe: 'Service: RC, UC or UD (default RC)',
  },
  size: {
    group: WHAT,
    type: 'string',
    value: 'bytes',
    alias: 's',
    describe: 'Bytes of a message (default 65536, latency 2)',
  },
  all: { group: WHAT, type: 'boolean', alias: 'a', describe: 'All sizes from 2 to 2^23, UD to the MTU' },
  iters: {
    group: WHAT,
    type: 'string',
    value: 'n',
    alias: 'n',
    describe: 'Messages of each queue pair (default 1000, of long ones as many as 16 MiB hold, 8 at least)',
  },
  qp: { group: WHAT, type: 'string', value: 'n', alias: 'q', describe: 'Queue pairs (default 1); bandwidth only' },
  mtu: { group: WHAT, type: 'string', value: 'bytes', alias: 'm', describe: 'Path MTU (default 1024)' },
  'tx-depth': {
    group: WHAT,
    type: 'string',
    value: 'n',
    alias: 't',
    describe: 'Requests outstanding on a queue pair (default 128)',
  },
  'rx-depth': {
    group: WHAT,
    type: 'string',
    value: 'n',
    alias: 'r',
    describe: 'Receives posted on a queue pair (default 512)',
  },
  inline_size: {
    group: WHAT,
    type: 'string',
    value: 'bytes',
    alias: 'I',
    describe: 'Messages up to this length are inline (default 0)',
  },
  bidirectional: { group: WHAT, type: 'boolean', alias: 'b', describe: 'Both hosts send' },
  atomic_type: {
    group: WHAT,
    type: 'string',
    value: 'type',
    alias: 'A',
    describe: 'FETCH_AND_ADD (default) or CMP_AND_SWAP',
  },
  perform_warm_up: {
    group: WHAT,
    type: 'boolean',
    describe: 'As many messages as are outstanding before the measurement',
  },
  against: {
    group: WITH,
    type: 'string',
    value: 'kind',
    describe: 'Measure this kind of NIC too, for the same files and chart',
  },
  seed: { group: WITH, type: 'string', value: 'seed', describe: 'Seed of the runs (default 1)' },
  jobs: {
    group: WITH,
    type: 'string',
    value: 'n',
    alias: 'j',
    describe: 'Worker processes (default: one per processor)',
  },
  report_gbits: { group: OUTPUT, type: 'boolean', describe: 'Gb/s (10^9 bits) in place of MB/s (2^20 bytes)' },
  out: {
    group: OUTPUT,
    type: 'string',
    value: 'folder',
    describe: 'Folder for records (default out/perf-<measurement>)',
  },
  csv: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write the rows to this file as CSV' },
  json: { group: OUTPUT, type: 'string', value: 'file', describe: 'Write the rows to this file as JSON' },
  svg: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Draw the rows over the size of messages into this file',
  },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

export type PerfFlag = keyof typeof PERF_FLAGS;

const bandwidth = PERF_TESTS.filter((test) => test.endsWith('_bw'));
const sends = PERF_TESTS.filter((test) => test.startsWith('send'));
const writes = PERF_TESTS.filter((test) => test.startsWith('write'));
const atomics = PERF_TESTS.filter((test) => test.startsWith('atomic'));
const sized = PERF_TESTS.filter((test) => !atomics.includes(test));

/** Measurements that have a flag, where not all of them do. */
export const VALID_FOR: Readonly<Partial<Record<PerfFlag, readonly PerfTest[]>>> = {
  size: sized,
  all: sized,
  qp: bandwidth,
  'tx-depth': bandwidth,
  'rx-depth': sends,
  inline_size: [...sends, ...writes],
  bidirectional: bandwidth,
  atomic_type: atomics,
  report_gbits: bandwidth,
};
