/** Reads a run record back and checks it. */

import { statOf } from '../files/statOf.ts';
import { join } from 'node:path';
import type { z } from 'zod';
import { DataError, whyUnread } from '../files/dataError.ts';
import { readInputText } from '../files/inputFile.ts';
import { parseJson } from '../files/json.ts';
import { type RunRecord, runRecordSchema } from './runRecord.ts';
import { RunRecordError } from './runRecordError.ts';
import { RUN_RECORD_FORMAT } from './verdict.ts';

const RECORD = 'run.json';
const ADVICE = 'Give the run.json of an earlier run';

/**
 * @param named path of a `run.json`, or of the folder of a run
 * @throws RunRecordError when the file is missing, is not JSON or is not a run record of this format
 */
export function readRunRecord(named: string): RunRecord {
  const path = recordIn(named);
  const json = jsonIn(path);
  requireRecord(path, json);
  const parsed = runRecordSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(wrongField);
  throw new RunRecordError(`${path}: not a run record any more; ${wrong.join('; ')}. ${ADVICE}`);
}

function recordIn(path: string): string {
  return statOf(path)?.isDirectory() === true ? join(path, RECORD) : path;
}

/** A file of another kind or of another version has nothing in common with a record: one reason instead of twenty. */
function requireRecord(path: string, json: unknown): void {
  const isObject = json !== null && typeof json === 'object';
  if (!isObject || !('format' in json) || !('transcript' in json))
    throw new RunRecordError(`${path}: not a run record: it has no "format" and "transcript". ${ADVICE}`);
  const { format } = json;
  if (format === RUN_RECORD_FORMAT) return;
  const reads = `this one reads format ${RUN_RECORD_FORMAT}; replay it with the version that wrote it`;
  throw new RunRecordError(`${path}: written by another version of the harness, format ${String(format)}; ${reads}`);
}

function wrongField(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  const field = issue.path.join('.');
  return missing ? `${field} is missing` : `${field} has a value that no record has there`;
}

function jsonIn(path: string): unknown {
  try {
    return parseJson(readInputText(path));
  } catch (error) {
    if (error instanceof DataError) throw new RunRecordError(`${path}: not a run record: ${error.message}. ${ADVICE}`);
    const unread = whyUnread(error);
    if (unread !== undefined) throw new RunRecordError(`${path}: cannot be read; ${unread}. ${ADVICE}`);
    const why = error instanceof Error ? error.message : String(error);
    throw new RunRecordError(`${path}: not a run record: it is no JSON (${why}). ${ADVICE}`);
  }
}
