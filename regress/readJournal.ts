/** Reads the journal of a regression back, also of one that was cut off in the middle of a line. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { fileReason, isFileError } from '../files/fileError.ts';
import type { JobResult } from './job.ts';
import type { JournalPlan } from './journal.ts';

const NAME = 'runs.jsonl';

/** What a journal says. */
export interface ReadJournal {
  readonly path: string;
  readonly plan: JournalPlan;
  /** By id, the last one of each run of the plan. */
  readonly results: ReadonlyMap<string, JobResult>;
  /** Its last line says that the regression has ended. */
  readonly ended: boolean;
  /** Bytes of its whole lines; what is behind them was being written when it was cut off. */
  readonly wholeBytes: number;
}

/** There is no journal, or it cannot be read: a message for the user. */
export class JournalError extends Error {}

const jobSchema = z.looseObject({
  id: z.string(),
  family: z.string(),
  title: z.string(),
  argv: z.array(z.string()),
  cwd: z.string(),
  where: z.string(),
  timeoutSeconds: z.number(),
});

const planSchema = z.looseObject({
  source: z.string(),
  seed: z.number(),
  command: z.string(),
  started: z.string(),
  sources: z.string(),
  settings: z.looseObject({
    keep: z.enum(['failures', 'all', 'none']),
    timeoutSeconds: z.number(),
    coverage: z.boolean(),
    heapMb: z.number(),
  }),
  jobs: z.array(jobSchema),
});

/** What later parts of the harness rely on; earlier versions have not written all that this one does. */
const resultSchema = z.looseObject({
  id: z.string(),
  family: z.string(),
  status: z.string(),
  wallMs: z.number(),
  simulatedTimePs: z.number(),
  checks: z.number(),
  message: z.string(),
  unused: z.array(z.string()).default([]),
  errorIds: z.array(z.string()).default([]),
});

/**
 * @param folder of a regression, or path of its journal
 * @throws JournalError
 */
export function readJournal(folder: string): ReadJournal {
  const path = statSync(folder, { throwIfNoEntry: false })?.isFile() === true ? folder : join(folder, NAME);
  const bytes = bytesOf(path, folder);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  let plan: JournalPlan | undefined;
  let ended = false;
  const results = new Map<string, JobResult>();
  for (const [i, text] of lines.entries()) {
    const line = parsed(text, `${path}:${i + 1}`);
    if (line.kind === 'plan') plan ??= checked(planSchema, line.plan, `${path}:${i + 1}`) as unknown as JournalPlan;
    else if (line.kind === 'result') {
      const result = checked(resultSchema, line.result, `${path}:${i + 1}`) as unknown as JobResult;
      results.set(result.id, result);
    }
    ended = line.kind === 'end';
  }
  if (plan === undefined) throw new JournalError(`${path}: holds no plan: the regression ended before it began`);
  const planned = new Set(plan.jobs.map(({ id }) => id));
  for (const id of results.keys()) if (!planned.has(id)) results.delete(id);
  return { path, plan, results, ended, wholeBytes };
}

function bytesOf(path: string, folder: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new JournalError(
      `${folder}: no regression can be read there, ${path}: ${fileReason(error)}; give the folder of one (--out)`,
    );
  }
}

type Line = { readonly kind?: unknown; readonly plan?: unknown; readonly result?: unknown };

function parsed(text: string, where: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object') return value;
  } catch {
    // Said below.
  }
  throw new JournalError(`${where}: is no line of a journal; the file has been changed since it was written`);
}

function checked<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new JournalError(
    `${where}: ${issue?.path.join('.') ?? ''} is not what this version writes there (${issue?.message ?? ''})`,
  );
}
