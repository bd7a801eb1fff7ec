/** The flags of `hca_regress`. */

import type { FlagTable } from './flagTable.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './seconds.ts';

const WHAT = 'What to run:';
const HOW = 'How:';
const WHERE = 'Where (docs/farm.md):';
const OUTPUT = 'Output:';

/** Of one bucket of failures. */
export const BUCKET_SECONDS = 120;

export const REGRESS_FLAGS = {
  filter: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Only runs whose id or title contains this text, or matches a pattern with * and ?; may be repeated',
  },
  only: {
    group: WHAT,
    type: 'string',
    value: 'ids',
    repeatable: true,
    describe: 'Only these behaviours of a conformance list, such as T-022,G117; may be repeated',
  },
  exclude: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Skip runs that match this text or pattern; may be repeated',
  },
  'touched-by': {
    group: WHAT,
    type: 'string',
    value: 'file',
    repeatable: true,
    describe: 'Only runs whose test, sequence or NIC imports this file, or that read it; may be repeated',
  },
  shard: {
    group: WHAT,
    type: 'string',
    value: 'i/n',
    describe: 'Run part i of n of these runs, such as 2/8; hca_regress merge makes one report of all parts',
  },
  failed: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Rerun the runs that did not pass in the regression of this folder; replaces the list',
  },
  resume: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Continue the regression of this folder, which was stopped or aborted; replaces the list',
  },
  shell: {
    group: WHAT,
    type: 'boolean',
    describe: 'Let your own shell run the script, with hca_test and bsub recorded instead of run',
  },
  seed: {
    group: WHAT,
    type: 'string',
    value: 'seed',
    describe: 'Root seed, from which the seed of each run is derived, or "random" (default 1)',
  },
  reseed: {
    group: WHAT,
    type: 'string',
    value: 'n',
    alias: 'r',
    describe: 'Seeds per run; overrides reseed: of the list, and applies to script lines without a seed',
  },
  'reseed-multiplier': {
    group: WHAT,
    type: 'string',
    value: 'factor',
    describe: 'Multiply the seeds per run of the list by this factor, such as 0.1 or 10; rounded, at least one',
  },
  'fixed-seed': { group: WHAT, type: 'string', value: 'seed', describe: 'Use this seed for every run, once each' },
  jobs: {
    group: HOW,
    type: 'string',
    value: 'n',
    alias: 'j',
    synonym: 'workers',
    describe: 'Worker processes (default: one per processor; of each chunk of a farm: 1)',
  },
  timeout: {
    group: HOW,
    type: 'string',
    value: 'seconds',
    describe: `Wall-clock limit of a run in seconds (default ${DEFAULT_TIMEOUT_SECONDS})`,
  },
  'sim-timeout': { group: HOW, type: 'string', value: 'time', describe: 'Simulated-time limit of a run, such as 10ms' },
  'max-time': {
    group: HOW,
    type: 'string',
    value: 'time',
    describe: 'Start no further runs (with --until-coverage: generations) after this time: seconds, or 90s, 10m, 2h',
  },
  'max-failures': {
    group: HOW,
    type: 'string',
    value: 'n',
    describe: 'Start no further runs after this many failures',
  },
  shrink: {
    group: HOW,
    type: 'boolean',
    describe: 'At the end, shrink one failing run of each bucket into shrunk.yaml beside its record',
  },
  'shrink-seconds': {
    group: HOW,
    type: 'string',
    value: 'seconds',
    describe: `With --shrink: maximum seconds for each bucket (default ${BUCKET_SECONDS})`,
  },
  'shrink-time': {
    group: HOW,
    type: 'string',
    value: 'time',
    describe: 'With --shrink: start no further bucket after this time: seconds, or 90s, 10m, 2h (default 10m)',
  },
  known: {
    group: HOW,
    type: 'string',
    value: 'file',
    repeatable: true,
    describe: 'A further file of known issues, beside known_issues.yaml here and next to the list; may be repeated',
  },
  strict: { group: HOW, type: 'boolean', describe: 'Report arguments without effect as errors' },
  'heap-mb': {
    group: HOW,
    type: 'string',
    value: 'MiB',
    describe: 'JavaScript heap of a worker in MiB (default 2048)',
  },
  cov: { group: HOW, type: 'boolean', alias: 'c', describe: 'Measure functional coverage, into <out>/coverage.jsonl' },
  'until-coverage': {
    group: HOW,
    type: 'string',
    value: 'percent',
    describe:
      'Coverage closure: run the list in generations, steered by uncovered bins, until this percentage of bins is covered',
  },
  generation: {
    group: HOW,
    type: 'string',
    value: 'n',
    describe: 'With --until-coverage: runs per generation (default 200)',
  },
  launcher: {
    group: WHERE,
    type: 'string',
    value: 'name',
    describe: 'How worker processes are started: local (default), slurm, lsf, template, bullmq',
  },
  chunk: {
    group: WHERE,
    type: 'string',
    value: 'n',
    describe: 'Runs per process of a farm (default: by the number of runs, at most 100)',
  },
  slots: {
    group: WHERE,
    type: 'string',
    value: 'n',
    describe: 'Maximum number of chunks at a time (default: the limit of the scheduler; template: 8)',
  },
  'submit-args': {
    group: WHERE,
    type: 'string',
    value: 'words',
    describe: 'Arguments for sbatch or bsub: "--partition=regress --mem=3G"',
  },
  submit: {
    group: WHERE,
    type: 'string',
    value: 'command',
    describe:
      'template: the command that runs a chunk, with {command}, {quoted} (one word), {chunk}, {slot}: "ssh node{slot} {quoted}"',
  },
  status: {
    group: WHERE,
    type: 'string',
    value: 'command',
    describe:
      'template: --submit returns at once and prints an id; this command exits with 0 while the chunk waits or runs: "qstat -j {id}"',
  },
  cancel: {
    group: WHERE,
    type: 'string',
    value: 'command',
    describe: 'template with --status: the command that cancels a chunk: "qdel {id}"',
  },
  queue: {
    group: WHERE,
    type: 'string',
    value: 'name',
    describe: 'bullmq: name of the queue in Redis (default rnic-verify); RNIC_VERIFY_REDIS holds address and password',
  },
  'lost-after': {
    group: WHERE,
    type: 'string',
    value: 'time',
    describe: 'Rerun a chunk whose process has sent no heartbeat for this time: 90s, 10m (default 2m)',
  },
  out: {
    group: OUTPUT,
    type: 'string',
    value: 'folder',
    describe: 'Folder for reports (default out/regress-<list>-<time>-<process id>)',
  },
  keep: {
    group: OUTPUT,
    type: 'string',
    value: 'which',
    describe: 'Keep records and logs of these runs: failures (default), all, none',
  },
  'no-history': {
    group: OUTPUT,
    type: 'boolean',
    describe: 'Do not add this regression to the history (out/history.sqlite)',
  },
  quiet: { group: OUTPUT, type: 'boolean', alias: 'q', describe: 'Print only the summary' },
  'dry-run': {
    group: OUTPUT,
    type: 'boolean',
    alias: 'n',
    describe: 'Print the command lines with the ids of the runs, and run nothing',
  },
  'show-config': {
    group: OUTPUT,
    type: 'boolean',
    describe: 'Show every setting with its value and its source: rnic.config.yaml, environment or command line',
  },
  version: { group: OUTPUT, type: 'boolean', describe: 'Version of the harness' },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
