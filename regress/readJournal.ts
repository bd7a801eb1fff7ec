/** Reads the journal of a regression back, also of one that was cut off in the middle of a line. */

import { join } from 'node:path';
import { DataError, whyUnread } from '../files/dataError.ts';
import { readStored } from '../files/inputFile.ts';
import { checkedData, jsonOf } from '../files/json.ts';
import { statOf } from '../files/statOf.ts';
import type { JobResult } from './job.ts';
import type { JournalEnd, JournalPlan } from './journal.ts';
import { jobResultSchema, journalEndSchema, journalLineSchema, journalPlanSchema } from './journalSchema.ts';

const NAME = 'runs.jsonl';

/** What a journal says. */
export interface ReadJournal {
  readonly path: string;
  readonly plan: JournalPlan;
  /** By id, the last one of each run of the plan. */
  readonly results: ReadonlyMap<string, JobResult>;
  /** Its last line says that the regression has ended. */
  readonly ended: boolean;
  /** What that line says; undefined for none. */
  readonly end: JournalEnd | undefined;
  /** Bytes of its whole lines; what is behind them was being written when it was cut off. */
  readonly wholeBytes: number;
}

/** There is no journal, or it cannot be read: a message for the user. */
export class JournalError extends Error {}

/** Some hundred thousand runs; the longest text that Node takes is a little longer. */
const MOST_BYTES = 480 * 2 ** 20;

/**
 * @param folder of a regression, or path of its journal
 * @throws JournalError
 */
export function readJournal(folder: string): ReadJournal {
  const path = statOf(folder)?.isFile() === true ? folder : join(folder, NAME);
  const bytes = bytesOf(path, folder);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  let plan: JournalPlan | undefined;
  let end: JournalEnd | undefined;
  const results = new Map<string, JobResult>();
  for (const [i, text] of lines.entries()) {
    const { kind, ...line } = at(`${path}:${i + 1}`, () => lineOf(text));
    if (kind === 'plan' && plan === undefined) plan = at(`${path}:${i + 1}`, () => planOf(line.plan));
    else if (kind === 'result') {
      const result = at(`${path}:${i + 1}`, () => checkedData(line.result, jobResultSchema));
      results.set(result.id, result);
    }
    end = kind === 'end' ? at(`${path}:${i + 1}`, () => checkedData(line.end, journalEndSchema)) : undefined;
  }
  if (plan === undefined) throw new JournalError(`${path}: holds no plan: the regression ended before it began`);
  const planned = new Map(plan.jobs.map((job) => [job.id, job]));
  for (const [id, { family }] of results) if (planned.get(id)?.family !== family) results.delete(id);
  return { path, plan, results, ended: end !== undefined, end, wholeBytes };
}

function bytesOf(path: string, folder: string): Buffer {
  try {
    return readStored(path, MOST_BYTES);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    throw new JournalError(
      `${folder}: no regression can be read there, ${path}: ${why}; give the folder of one (--out)`,
    );
  }
}

function lineOf(text: string): {
  readonly kind: string;
  readonly plan?: unknown;
  readonly result?: unknown;
  readonly end?: unknown;
} {
  return jsonOf(text, journalLineSchema);
}

/** Two runs of one id would share a folder and a result. */
function planOf(value: unknown): JournalPlan {
  const plan = checkedData(value, journalPlanSchema);
  const ids = new Set<string>();
  for (const [i, { id }] of plan.jobs.entries()) {
    if (ids.has(id)) throw new DataError(`jobs[${i}].id: ${id} is there already; ids are unique`);
    ids.add(id);
  }
  return plan;
}

function at<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new JournalError(
      `${where}: is no line of a journal: ${error.message}; the file has been changed since it was written`,
    );
  }
}
