/** What lines of a journal hold, as far as anything relies on it. Whoever has sent a folder may have written anything there. */

import { z } from 'zod';
import type { JobStatus } from './job.ts';
import type { RunSignature } from './runRecord.ts';
import { KNOWN_STATES } from './known/knownState.ts';
import { MOST_SHARDS } from './shard.ts';
import { VERDICTS } from './verdict.ts';

const STATUSES = [
  ...VERDICTS,
  'known',
  'nondeterministic',
  'crashed',
  'timeout',
  'usage',
] as const satisfies readonly JobStatus[];
const seed = z.int().min(0).max(0xffff_ffff);
const amount = z.number().min(0);

/** Longest id: with what stands around it, it is the name of a folder. */
const MOST_ID = 200;

/**
 * The id of a run names its folder: parts as names of lists are, or as scripts make them. None is empty and none leads out
 * of the folder of the regression.
 */
export const jobIdSchema = z
  .string()
  .max(MOST_ID)
  .regex(
    /^\w[\w.-]*(\/[\w.-]+)*$/,
    'expected the id of a run: letters, digits, "_", "." and "-", in parts between "/"',
  );

export const jobSchema = z.looseObject({
  id: jobIdSchema,
  family: z.string(),
  title: z.string(),
  argv: z.array(z.string()),
  cwd: z.string().startsWith('/', 'expected the whole path of a folder'),
  where: z.string(),
  timeoutSeconds: amount,
  list: z.string().optional(),
});

export const journalPlanSchema = z.looseObject({
  source: z.string(),
  lists: z.array(z.string()).optional(),
  seed,
  command: z.string(),
  started: z.iso.datetime('expected a time such as 2026-01-02T03:04:05.000Z'),
  sources: z.string(),
  settings: z.looseObject({
    keep: z.enum(['failures', 'all', 'none']),
    timeoutSeconds: amount,
    coverage: z.boolean(),
    heapMb: z.int().min(64).max(1_000_000),
  }),
  jobs: z.array(jobSchema),
  shard: z
    .strictObject({
      index: z.int().min(1),
      of: z.int().min(1).max(MOST_SHARDS),
      total: z.int().min(0),
      places: z.array(z.int().min(0)),
    })
    .optional(),
  skipped: z.array(z.looseObject({ job: jobSchema, reason: z.string() })).optional(),
});

const signatureSchema: z.ZodType<RunSignature> = z.looseObject({
  id: z.string(),
  component: z.string(),
  message: z.string(),
  time: amount,
});

const causeSchema = z.looseObject({
  page: z.string(),
  accuses: z.array(z.string()),
  decides: z.string(),
  shrunk: z
    .looseObject({
      scenario: z.string(),
      replay: z.string(),
      calls: amount,
      requests: amount,
      legal: z.string(),
      ended: z.string(),
    })
    .optional(),
});

/** Fields with a default are those that earlier versions have not written. */
export const jobResultSchema = z.looseObject({
  id: jobIdSchema,
  family: z.string(),
  title: z.string().default(''),
  status: z.enum(STATUSES),
  test: z.string().default(''),
  seed: seed.default(0),
  attempts: z.int().min(1).default(1),
  wallMs: amount,
  simulatedTimePs: amount,
  checks: amount,
  transcript: z.string().default(''),
  signature: signatureSchema.nullable().default(null),
  cause: causeSchema.optional(),
  bugEffect: z.string().optional(),
  message: z.string(),
  replay: z.string().default(''),
  folder: z.string().default(''),
  log: z.string().default(''),
  unused: z.array(z.string()).default([]),
  errorIds: z.array(z.string()).default([]),
  switchedOff: amount.default(0),
  lost: z.array(z.string()).optional(),
  started: z.iso.datetime().optional(),
  findings: z
    .looseObject({
      dut: z.string(),
      plusargs: z.array(z.string()),
      errors: z.array(z.looseObject({ id: z.string(), text: z.string() })),
      isWhole: z.boolean(),
    })
    .optional(),
  known: z.looseObject({ was: z.enum(STATUSES), issues: z.array(z.string()) }).optional(),
  worker: amount.default(0),
});

export const journalEndSchema = z.looseObject({
  ended: z.iso.datetime('expected a time such as 2026-01-02T03:04:05.000Z'),
  wallMs: amount,
  notRun: amount,
  exitCode: z.int(),
  known: z
    .array(
      z.looseObject({
        where: z.string(),
        id: z.string(),
        text: z.string(),
        owner: z.string(),
        link: z.string(),
        until: z.string(),
        state: z.enum(KNOWN_STATES),
        runs: z.array(z.string()),
      }),
    )
    .optional(),
});

/** One line. Kinds that a later version writes are passed over. */
export const journalLineSchema = z.looseObject({
  kind: z.string(),
  plan: z.unknown().optional(),
  result: z.unknown().optional(),
  end: z.unknown().optional(),
});
