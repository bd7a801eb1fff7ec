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
    describe: 'Read further arguments from a file, with comments (//, #, /* */), $VARIABLES and nested files',
  },
  scenario: {
    group: RUN,
    type: 'string',
    value: 'file',
    describe: 'Run a scenario file in place of the stimulus of the test',
  },
  faults: {
    group: RUN,
    type: 'string',
    value: 'file',
    describe: 'Apply the fault rules of this file (YAML or JSON) to the link, before those of +NET_FAULT',
  },
  replay: {
    group: RUN,
    type: 'string',
    value: 'run.json',
    describe: 'Reproduce the run of a run.json and compare the transcript hash',
  },
  shrink: {
    group: RUN,
    type: 'string',
    value: 'run.json',
    describe: 'Find the smallest scenario with the failure of this run.json; write it to shrunk.yaml beside it',
  },
  against: {
    group: RUN,
    type: 'string',
    value: 'run.json',
    describe: 'Compare with the run of this run.json: the first event that differs, and its consequences',
  },
  'shrink-runs': {
    detail: true,
    group: RUN,
    type: 'string',
    value: 'n',
    describe: 'With --shrink: maximum number of runs (default 2000)',
  },
  'shrink-seconds': {
    detail: true,
    group: RUN,
    type: 'string',
    value: 'seconds',
    describe: 'With --shrink: maximum seconds (default 600)',
  },
  'shrink-jobs': {
    detail: true,
    group: RUN,
    type: 'string',
    value: 'n',
    describe: 'With --shrink: worker processes (default: one per processor; 1: this process)',
  },
  timeout: {
    group: RUN,
    type: 'string',
    value: 'seconds',
    describe: `Give up after this many seconds of wall-clock time (default ${DEFAULT_TIMEOUT_SECONDS})`,
  },
  strict: { detail: true, group: RUN, type: 'boolean', describe: 'Report arguments without effect as errors' },
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
    describe: 'Capture the wire to <out>/<run id>/wire.pcap or to FILE; same as +PCAP',
  },
  trace: {
    group: OUTPUT,
    type: 'string',
    value: 'file',
    optionalValue: true,
    describe: 'Write a trace of all events (chrome://tracing, Perfetto) to <out>/<run id>/trace.json; same as +TRACE',
  },
  'dump-scenario': {
    detail: true,
    group: OUTPUT,
    type: 'string',
    value: 'file',
    describe: 'Write the scenario of this run: requests (JSON), or calls (YAML) of a sequence',
  },
  quiet: {
    group: OUTPUT,
    type: 'boolean',
    alias: 'q',
    describe: 'Print only the paths and the verdict; the log file stays complete',
  },
  help: {
    group: SHOW,
    type: 'string',
    value: 'topic or word',
    alias: 'h',
    optionalValue: true,
    describe: 'Show this page, a topic of it, or everything that mentions a word',
  },
  version: { group: SHOW, type: 'boolean', describe: 'Versions of the harness and of Node' },
  'show-config': {
    group: SHOW,
    type: 'boolean',
    describe: 'Show every setting with its value and its source: rnic.config.yaml, environment or command line',
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
