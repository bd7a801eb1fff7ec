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
    describe: 'Of a list of behaviours: those with these ids, T-022,G117; may be repeated',
  },
  exclude: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'All runs but those that this text or pattern matches; may be repeated',
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
    describe: 'Of these runs the part i of n, by their ids: 2/8; hca_regress merge makes one report of all parts',
  },
  failed: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Instead of a list: the runs that did not pass in the regression of this folder, once more',
  },
  resume: {
    group: WHAT,
    type: 'string',
    value: 'out',
    describe: 'Instead of a list: go on with the regression of this folder, which was stopped or cut off',
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
    describe: 'Seed from which those of the runs are derived, or "random" (default 1)',
  },
  reseed: {
    group: WHAT,
    type: 'string',
    value: 'n',
    alias: 'r',
    describe: 'Seeds per run, instead of the reseed: of the list, or per line of a script that names none',
  },
  'reseed-multiplier': {
    group: WHAT,
    type: 'string',
    value: 'factor',
    describe: 'This many times the seeds per run that the list asks for, such as 0.1 or 10; rounded, at least one',
  },
  'fixed-seed': { group: WHAT, type: 'string', value: 'seed', describe: 'This seed for every run, once each' },
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
    describe: 'Begin no further runs (with --until-coverage: generations) after this time: seconds, or 90s, 10m, 2h',
  },
  'max-failures': {
    group: HOW,
    type: 'string',
    value: 'n',
    describe: 'Begin no further runs when this many have not passed',
  },
  shrink: {
    group: HOW,
    type: 'boolean',
    describe: 'Afterwards: shrink one case of each bucket of failures, into shrunk.yaml beside its record',
  },
  'shrink-seconds': {
    group: HOW,
    type: 'string',
    value: 'seconds',
    describe: `With --shrink: seconds for each bucket at most (default ${BUCKET_SECONDS})`,
  },
  'shrink-time': {
    group: HOW,
    type: 'string',
    value: 'time',
    describe: 'With --shrink: begin no further bucket after this time: seconds, or 90s, 10m, 2h (default 10m)',
  },
  known: {
    group: HOW,
    type: 'string',
    value: 'file',
    repeatable: true,
    describe: 'File of known issues, besides known_issues.yaml here and beside the list; may be repeated',
  },
  strict: { group: HOW, type: 'boolean', describe: 'An argument without effect is an error' },
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
      'Closure: play runs of the list in generations, steered by what is not covered yet, up to this percent of bins',
  },
  generation: {
    group: HOW,
    type: 'string',
    value: 'n',
    describe: 'Runs of a generation of --until-coverage (default 200)',
  },
  launcher: {
    group: WHERE,
    type: 'string',
    value: 'name',
    describe: 'What starts the processes that play: local (default), slurm, lsf, template, bullmq',
  },
  chunk: {
    group: WHERE,
    type: 'string',
    value: 'n',
    describe: 'Runs that one process of a farm plays (default: by their number, 100 at most)',
  },
  slots: {
    group: WHERE,
    type: 'string',
    value: 'n',
    describe: 'Chunks at a time (default: what the scheduler lets through; template: 8)',
  },
  'submit-args': {
    group: WHERE,
    type: 'string',
    value: 'words',
    describe: 'Words for sbatch or bsub, as in a shell: "--partition=regress --mem=3G"',
  },
  submit: {
    group: WHERE,
    type: 'string',
    value: 'command',
    describe:
      'Of template: plays a chunk, with {command}, or {quoted} for one word, {chunk}, {slot}: "ssh node{slot} {quoted}"',
  },
  status: {
    group: WHERE,
    type: 'string',
    value: 'command',
    describe:
      'Of template: --submit hands over and prints an id; this ends well while the chunk waits or runs: "qstat -j {id}"',
  },
  cancel: {
    group: WHERE,
    type: 'string',
    value: 'command',
    describe: 'Of template with --status: ends a chunk: "qdel {id}"',
  },
  queue: {
    group: WHERE,
    type: 'string',
    value: 'name',
    describe:
      'Of bullmq: name of the queue in Redis (default rnic-verify); RNIC_VERIFY_REDIS has the address and password',
  },
  'lost-after': {
    group: WHERE,
    type: 'string',
    value: 'time',
    describe: 'A chunk whose process gives no sign of life for this time is played again: 90s, 10m (default 2m)',
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
    describe: 'Runs that leave records and logs: failures (default), all, none',
  },
  'no-history': { group: OUTPUT, type: 'boolean', describe: 'Keep out of the history (out/history.sqlite)' },
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
    describe: 'What rnic.config.yaml, the environment and this command line decide, each with its place',
  },
  version: { group: OUTPUT, type: 'boolean', describe: 'Version of the harness' },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;
