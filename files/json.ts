/** JSON as plain data, checked by a schema. */

import type { z } from 'zod';
import { DataError } from './dataError.ts';
import { readStoredText } from './inputFile.ts';
import { pathText, plainMistake } from './plainData.ts';

/**
 * The value of a JSON text.
 * @throws SyntaxError when it is none; DataError when it is nested more than 100 deep, or has a key such as `__proto__`
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const mistake = plainMistake(value);
  if (mistake === undefined) return value;
  throw new DataError(`${placed(mistake.path)}${mistake.message}`);
}

/**
 * The value of a JSON text as a schema has it.
 * @throws DataError that names the first field that is wrong, with its value and what is right
 */
export function jsonOf<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  return checkedData(jsonValue(text), schema);
}

/** A value as a schema has it. @throws DataError */
export function checkedData<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new DataError(schemaMistake(read.error, value));
}

/**
 * What a program has stored in a file of JSON.
 * @throws DataError and InputError without the path, and the error of the file system: see `whyUnread`
 */
export function readStoredJson<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  return jsonOf(readStoredText(path), schema);
}

function jsonValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // Engines say it in words of their own, some of them with the whole text.
    if (error instanceof SyntaxError) throw new DataError('it is no JSON; it has been changed since it was written');
    throw error;
  }
}

/** The first thing that a schema has against a value: `jobs[3].argv: expected array, received string (here "x")`. */
function schemaMistake({ issues: [issue] }: z.ZodError, value: unknown): string {
  if (issue === undefined) return 'it is not what this version writes';
  const { path, message } = issue;
  const { found, exists } = valueAt(value, path);
  const said = message.replace(/^Invalid (input|option): /, '');
  const here = exists ? ` (here ${shortJson(found)})` : '';
  return `${placed(path)}${said}${here}`;
}

function placed(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : `${pathText(path)}: `;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): { readonly found?: unknown; readonly exists: boolean } {
  let found = value;
  for (const key of path) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, key)) return { exists: false };
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return { found, exists: true };
}

/** Characters of a value that are shown. */
const SHOWN = 60;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}
