/** What an exhaustive play stores, as far as anything relies on it. */

import { z } from 'zod';
import { jobIdSchema } from '../../regress/journalSchema.ts';
import { type FaultKind, parseKinds } from './placement.ts';

export const EXHAUST_FORMAT = 'rnic-verify exhaust 1';

const kindSchema = z.custom<FaultKind>(
  (value) => typeof value === 'string' && parseKinds(value).kinds.includes(value as FaultKind),
  'expected a kind of fault, such as drop',
);
const spotSchema = z.object({ host: z.int().min(0).max(7), ordinal: z.int().min(1), kind: kindSchema });

/** `plan.json`. */
export const exhaustPlanSchema = z.object({
  format: z.literal(EXHAUST_FORMAT),
  source: z.string(),
  scenarios: z.array(
    z.object({
      name: jobIdSchema,
      argv: z.array(z.string()),
      cwd: z.string().startsWith('/', 'expected the whole path of a folder'),
    }),
  ),
  faults: z.literal([1, 2]),
  kinds: z.array(kindSchema),
  maxFrames: z.int().min(1).max(100_000),
  sources: z.string(),
});

const placedRunSchema = z.object({
  placement: z.array(spotSchema).min(1).max(2),
  outcome: z.enum(['passed', 'failed', 'unjudged', 'empty']),
  hash: z.string(),
  id: z.string(),
  message: z.string(),
});

/** A line of `units.jsonl`. */
export const journalledUnitSchema = z.object({
  unit: z.string(),
  scenario: z.string(),
  findings: z.object({
    placements: z.int().min(0),
    hashes: z.array(z.string()),
    failures: z.array(placedRunSchema),
  }),
  wallMs: z.number().min(0),
});

/** What crosses processes in the arguments of a job. */
export const exhaustUnitSchema = z.object({ first: spotSchema, secondKinds: z.array(kindSchema) });
