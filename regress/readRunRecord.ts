/** Reads a run record back and checks it. */

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type RunRecord, runRecordSchema } from './runRecord.ts';
import { RunRecordError } from './runRecordError.ts';

/**
 * @param path of a `run.json`
 * @throws RunRecordError when the file is missing, is not JSON or is not a run record of this format
 */
export function readRunRecord(path: string): RunRecord {
  const parsed = runRecordSchema.safeParse(parseJson(path));
  if (parsed.success) return parsed.data;
  throw new RunRecordError(`${path}: not a run record; ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RunRecordError(`${path}: cannot be read; ${why}. Give the run.json of an earlier run`);
  }
}
