/** Lines of `coverage.jsonl`. */

import { z } from 'zod';
import { STORE_FORMAT } from './storeFormat.ts';

const whole = z.int().min(0);
const percent = z.number().min(0).max(100);

const binSchema = z.object({
  name: z.string(),
  kind: z.enum(['bins', 'default', 'ignore', 'illegal']),
  values: z.array(z.tuple([z.int(), z.int()])).optional(),
  sequences: z.array(z.string()).optional(),
  at: z.array(z.array(whole)).optional(),
  arguments: z.string().optional(),
});

const itemSchema = z.object({
  kind: z.enum(['coverpoint', 'cross']),
  name: z.string(),
  of: z.array(z.string()).optional(),
  weight: z.number().min(0),
  goal: percent,
  atLeast: z.int().min(1),
  comment: z.string(),
  bins: z.array(binSchema),
});

export const groupSchema = z.object({
  name: z.string(),
  instance: z.string().optional(),
  weight: z.number().min(0),
  goal: percent,
  comment: z.string(),
  hash: z.string().regex(/^[0-9a-f]{32}$/),
  items: z.array(itemSchema),
});

/** First line, and any further one that a run with groups of its own needs. Bins are numbered through all of them. */
const modelLine = z.object({
  kind: z.literal('model'),
  format: z.literal(STORE_FORMAT),
  /** Over the groups of this line. */
  hash: z.string(),
  groups: z.array(groupSchema),
});

const runLine = z.object({
  kind: z.literal('run'),
  id: z.string(),
  name: z.string(),
  test: z.string(),
  seed: whole,
  plusargs: z.array(z.string()),
  nic: z.string(),
  passed: z.boolean(),
  events: z.number().min(0),
  cpuMs: z.number().min(0),
  replay: z.string(),
  /** Bin, count, bin, count … in ascending order of bins. */
  hits: z.array(whole),
});

/** A run on its way to a store: its hits are by group. */
export const measuredRunSchema = runLine
  .omit({ kind: true, hits: true })
  .extend({ hits: z.record(z.string().max(1000), z.array(whole)) });

export const lineSchema = z.discriminatedUnion('kind', [modelLine, runLine]);

export type ModelLine = z.infer<typeof modelLine>;
export type RunLine = z.infer<typeof runLine>;
export type GroupLine = z.infer<typeof groupSchema>;
