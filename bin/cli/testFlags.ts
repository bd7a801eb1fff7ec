/** The flags of `hca_test`. Plusargs are not flags: see `config/parameters.ts` and docs/running.md. */

import type { FlagTable } from './flagTable.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './seconds.ts';

const RUN = 'Run:';
const OUTPUT = 'Output:';
const SHOW = 'Show and exit:';

export const TEST_FLAGS = {
  seed: {
    group: RUN,
    type: 'string',
    value: 'seed',
    describe: 'Root seed: 32 bits, decimal or 0x hex, or "random" (default 1)',
  },
  file: {
    group: RUN,
    type: 'string',
    value: 'file',
    alias: 'f',
    helpOnly: true,
    describe: 'Read further arguments from a file: comments (//, #, /* */), $VARIABLES; files may name further files',
  },
  scenario: {
    group: RUN,
    type: 'string',
    value: 'file',
    describe: 'Play a scenario file instead of what the test makes',
  },
  faults: {
    group: RUN,
    type: 'string',
    value: 'file',
    describe: 'Play the fault rules of this file (YAML or JSON) on the link, before those of +NET_FAULT',
  },
  replay: {
    group: RUN,
    type: 'string',
    value: 'run.json',
    describe: 'Run again what a run.json records and compare the transcript hash',
  },
  shrink: {
    group: RUN,
    type: 'string',
    value: 'run.json',
    describe: 'Find the smallest scenario that fails as the run of this run.json does, into shrunk.yaml beside it',
  },
  against: {
    group: RUN,
    type: 'string',
    value: 'run.json',
    describe: 'Hold the run against that of this run.json: the first event that differs, and what followed from it',
  },
  'shrink-runs': {
    detail: true,
    group: RUN,
    type: 'string',
    value: 'n',
    describe: 'With --shrink: runs at most (default 2000)',
  },
  'shrink-seconds': {
    detail: true,
    group: RUN,
    type: 'string',
    value: 'seconds',
    describe: 'With --shrink: seconds at most (default 600)',
  },
  'shrink-jobs': {
    detail: true,
    group: RUN,
    type: 'string',
    value: 'n',
    describe: 'With --shrink: processes that play candidates (default: one per processor; 1: this process)',
  },
  timeout: {
    group: RUN,
    type: 'string',
    value: 'seconds',
    describe: `Give up after this many seconds of wall-clock time (default ${DEFAULT_TIMEOUT_SECONDS})`,
  },
  strict: { detail: true, group: RUN, type: 'boolean', describe: 'An argument without effect is an error' },
  log: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    alias: 'l',
    describe: 'Write the log here instead of <out>/<run id>/run.log',
  },
  out: {
    group: OUTPUT,
    type: 'string',
    value: 'folder',
    describe: 'Folder for run records, one sub-folder per run (default out)',
  },
  pcap: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    optionalValue: true,
    describe: 'Capture the wire, to <out>/<run id>/wire.pcap or --pcap=FILE; as +PCAP',
  },
  trace: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    optionalValue: true,
    describe: 'Write what happens as a trace (chrome://tracing, Perfetto), to <out>/<run id>/trace.json; as +TRACE',
  },
  'dump-scenario': {
    detail: true,
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Write the scenario of this run: its requests (JSON), or its calls (YAML) where a sequence makes it',
  },
  quiet: {
    group: OUTPUT,
    type: 'boolean',
    alias: 'q',
    describe: 'Print only record and verdict; the log file stays complete',
  },
  help: {
    group: SHOW,
    type: 'string',
    value: 'topic or word',
    alias: 'h',
    optionalValue: true,
    describe: 'This page, a topic of it, or what mentions a word',
  },
  version: { group: SHOW, type: 'boolean', describe: 'Versions of the harness and of Node' },
  'show-config': {
    group: SHOW,
    type: 'boolean',
    describe: 'What rnic.config.yaml, the environment and this command line decide, each with its place',
  },
  'list-tests': { group: SHOW, type: 'boolean', describe: 'Tests for +UVM_TESTNAME=' },
  'list-sequences': { group: SHOW, type: 'boolean', describe: 'Sequences of the library' },
  'list-faults': { group: SHOW, type: 'boolean', describe: 'Bugs that +DUT_FAULT= can plant in the NIC model' },
  'list-covergroups': { group: SHOW, type: 'boolean', describe: 'Covergroups, with their items and numbers of bins' },
  'list-knobs': { group: SHOW, type: 'boolean', describe: 'Knobs of the NIC model that +NIC_<NAME>= sets' },
  'explain-faults': {
    detail: true,
    group: SHOW,
    type: 'boolean',
    describe: 'Fault rules of the link with the frames that each would hit, from one run without faults',
  },
} as const satisfies FlagTable;
