/**
 * What one run leaves behind for machines: `out/<run id>/run.json`.
 *
 * Import types only, except for reading records: loading the validator would double the start-up time of a run.
 */

import { z } from 'zod';
import { RUN_RECORD_FORMAT, VERDICTS } from './verdict.ts';

/** One line of text each: a record is read by people too. */
const CHECKPOINT = /^\d+ \d+ [0-9a-f]{32}$/;
const seed = z.int().min(0).max(0xffff_ffff);

/** Signature of the first failure: what buckets of failures are made of. */
const signatureSchema = z.object({
  /** Stable report id, such as `SCB_DATA`. */
  id: z.string(),
  /** Full path of the reporting component. */
  component: z.string(),
  message: z.string(),
  /** Simulated time in picoseconds. */
  time: z.number(),
});

/** One event of a failure: when, ps, and what, in one line. */
const momentSchema = z.object({ time: z.number(), text: z.string() });

/** A line of the page, and whether it decides the finding. */
const lineSchema = momentSchema.extend({ decides: z.boolean() });

/** How a run differs from another one. */
const differenceSchema = z.object({
  /** The other run: `the run without +DUT_FAULT=x`, `out/y/run.json`. */
  from: z.string(),
  /** Why there is nothing to be said; '' where the rest says it. */
  why: z.string(),
  /** The first event that differs, as it was here and there; null: there is none. */
  here: momentSchema.nullable(),
  there: momentSchema.nullable(),
  /** Events that differ behind it, in the order of time. */
  followed: z.array(
    momentSchema.extend({
      is: z.enum(['only here', 'only there', 'at another time']),
      /** How much later than there, ps. */
      late: z.number(),
    }),
  ),
  /** How many more there are. */
  leftOut: z.number(),
});

/** What explains a failure, with other plays of the run at most. */
const failureSchema = z.object({
  id: z.string(),
  /** What the id stands for; '' for ids of tests of one's own. */
  meaning: z.string(),
  time: z.number(),
  component: z.string(),
  /** The whole text of the first error. */
  text: z.string(),
  /** Errors by id, in the order in which they came first. */
  errors: z.array(z.object({ id: z.string(), count: z.number() })),
  /** `first play` or `second play`, which looked closely, or only the latest events of the `run` itself. */
  source: z.enum(['first play', 'second play', 'run']),
  /** What the error accuses, first, and what contradicts that; none where the error does not say. */
  accuses: z.array(z.string()).default([]),
  /** What wrong values look like, a line each: `length 9 in place of 10: one less than the right value`. */
  looksLike: z.array(z.string()).default([]),
  /** What decides it, with what happened beside, in one time order: up to 5 us behind the error. */
  lines: z.array(lineSchema).default([]),
  /** Queue pairs that the error accuses, and their peers. */
  queuePairs: z.array(z.string()),
  /** The request that the error is about, from posting to completion; null where that is not known. */
  request: z.object({ name: z.string(), life: z.array(momentSchema), leftOut: z.number() }).nullable(),
  /** The latest events of those queue pairs up to the error, and those of 5 us behind it, in one time order. */
  events: z.array(momentSchema),
  /** The latest commands of their hosts, as they begin and end. */
  commands: z.array(momentSchema),
  /** How the run differs from a healthy one; null where none was played. */
  against: differenceSchema.nullable().default(null),
  /** Lines to paste. */
  next: z.array(z.string()),
});

const findingsSchema = z.object({
  errors: z.array(z.object({ id: z.string(), text: z.string() })),
  isWhole: z.boolean(),
});

const versionsSchema = z.object({
  harness: z.string(),
  /** Commit of the working tree, or '' outside a repository. */
  commit: z.string(),
  node: z.string(),
  /** Version of the scenario generator: equal versions expand equal plusargs and seeds to equal scenarios. */
  generator: z.string(),
  /** Hash over the sources that were built, committed or not; '' where it is not known. */
  sources: z.string().default(''),
});

/** How many times were measured, and in picoseconds their median and the worst of them. */
const timesSchema = z.object({ count: z.number(), median: z.number(), worst: z.number() });

/** What the rules of one port did. */
const ruleOutcomes = z.array(
  z.object({
    rule: z.string(),
    /** Argument, place in a file, or sequence that it comes from. */
    source: z.string(),
    /** Frames that it selected before it counted and drew, and those that it acted on. */
    matched: z.number(),
    fired: z.number(),
    /** What a rule that draws did, as rules of one frame each: a replay plays these. null for one that does not draw. */
    schedule: z.array(z.string()).nullable(),
  }),
);

const faultsSchema = z.object({
  rules: ruleOutcomes,
  /** Those of PCIe, which count requests. */
  pcie: ruleOutcomes.default([]),
  /** Packets that the run was to inject, and how many of each it did. */
  injected: z.array(z.object({ packet: z.string(), source: z.string(), sent: z.number() })).default([]),
  hosts: z.array(
    z.object({
      host: z.number(),
      sentAgain: z.number(),
      recovery: timesSchema,
      notRecovered: z.number(),
      nakGeneration: timesSchema,
      nakReaction: timesSchema,
      cnpInterval: timesSchema,
    }),
  ),
});

export const runRecordSchema = z.object({
  format: z.literal(RUN_RECORD_FORMAT),
  id: z.string(),
  test: z.string(),
  seed,
  /** As typed. */
  argv: z.array(z.string()),
  /** Folder in which it was typed. */
  cwd: z.string(),
  /** Plusargs in order, option files expanded: with test and seed, all that a replay needs. */
  plusargs: z.array(z.string()),
  /** Every parameter of the run, defaults filled in. */
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  versions: versionsSchema,
  transcript: z.object({
    hash: z.string(),
    events: z.number(),
    /** What it was on the way: events by then, time of the next one in picoseconds, hash. */
    checkpoints: z.array(z.string().regex(CHECKPOINT)).default([]),
  }),
  verdict: z.enum(VERDICTS),
  exitCode: z.int(),
  /** Counters by name: reports by severity (`UVM_ERROR`), checks, requests, events. */
  counts: z.record(z.string(), z.number()),
  simulatedTimePs: z.number(),
  wallMs: z.number(),
  /** ISO 8601, UTC. */
  started: z.string(),
  signature: signatureSchema.nullable(),
  /** The fatal message that ended the run, when the first failure was another. */
  endedBy: signatureSchema.nullable().default(null),
  /** Ids of all errors, each once, in the order in which they came first; at most 16. */
  errorIds: z.array(z.string()).default([]),
  /** All errors, each once, by id and by text without what is different in each run; `isWhole`: there were no more. */
  findings: findingsSchema.default({ errors: [], isWhole: false }),
  /** What came of playing a run that did not pass once more; null where that was not done. */
  secondPlay: z
    .object({
      /** `unknown`: it could not be compared. */
      outcome: z.enum(['same', 'differs', 'unknown']),
      text: z.string(),
    })
    .nullable()
    .default(null),
  /** What explains the first failure; null for none. */
  failure: failureSchema.nullable().default(null),
  /** Arguments that took no effect, each with the reason. */
  unused: z.array(z.string()).default([]),
  /** `generated` from plusargs and seed, or played from a `file`. */
  scenario: z.object({ kind: z.enum(['generated', 'file']), path: z.string(), sha256: z.string() }),
  /** What `--faults` named; '' for nothing. */
  faultFile: z.object({ path: z.string(), sha256: z.string() }).default({ path: '', sha256: '' }),
  /** What the fault rules of the link did, and what that led to; null without any. */
  faults: faultsSchema.nullable().default(null),
  /** Folder of tests outside of the project, as it was typed, and a hash over its sources; '' for none. */
  testPath: z.object({ path: z.string(), sha256: z.string() }).default({ path: '', sha256: '' }),
  /** Files of the run by kind (`log`, `pcap`, `scenario`), relative to `cwd` or absolute. */
  files: z.record(z.string(), z.string()),
  /** The line to paste. */
  replay: z.string(),
});

export type RunSignature = z.infer<typeof signatureSchema>;
export type RunFailure = z.infer<typeof failureSchema>;
export type RunDifference = z.infer<typeof differenceSchema>;
export type Versions = z.infer<typeof versionsSchema>;
export type RunRecord = z.infer<typeof runRecordSchema>;
