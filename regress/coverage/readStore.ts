/** Reads `coverage.jsonl` back and checks it. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../../files/dataError.ts';
import { parseJson } from '../../files/json.ts';
import { statOf } from '../../files/statOf.ts';
import { type GroupModel, groupHash } from '../../uvm/coverage/model.ts';
import { CoverageError } from './coverageError.ts';
import { type CoverageDatabase, type CoverageRun, databaseOf } from './database.ts';
import { inputText } from './inputText.ts';
import { BinNumbering } from './numbering.ts';
import { STORE_FORMAT, STORE_NAME } from './storeFormat.ts';
import { type GroupLine, lineSchema, type ModelLine, type RunLine } from './storeSchema.ts';

const HINT = 'give the folder of a regression that was run with --cov';
/** Some hundred thousand runs; the longest text that Node takes is a little longer. */
const MOST_BYTES = 480 * 2 ** 20;

/**
 * @param named path of a store, or of the folder of a regression
 * @throws CoverageError where it is missing, or a line is none of a store
 */
export function readStore(named: string): CoverageDatabase {
  const path = storeIn(named);
  const problems: string[] = [];
  const store = new StoreLines();
  const lines = inputText(path, { hint: hintFor(named), mostBytes: MOST_BYTES }).split('\n');
  for (const [i, line] of lines.entries()) {
    if (line === '') continue;
    // A regression that was cut off may have left half a line behind.
    const cutOff = i === lines.length - 1;
    const problem = store.add(line);
    if (problem !== undefined && !cutOff) problems.push(`${path}:${i + 1}: ${problem}`);
  }
  if (problems.length === 0 && store.groups.length === 0) problems.push(`${path}: holds no coverage model`);
  if (problems.length > 0) throw new CoverageError(problems);
  return databaseOf(store.groups, store.runs);
}

function storeIn(named: string): string {
  return isFolder(named) ? join(named, STORE_NAME) : named;
}

/** The folder that `--out` of a single run names holds a folder for each run. */
function hintFor(named: string): string {
  if (!isFolder(named) || existsSync(join(named, STORE_NAME))) return HINT;
  const inside = readdirSync(named).some((entry) => existsSync(join(named, entry, STORE_NAME)));
  return inside ? `its folders have one each: give ${join(named, '*')}` : HINT;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

class StoreLines {
  readonly groups: GroupModel[] = [];
  readonly runs: CoverageRun[] = [];
  readonly #numbering = new BinNumbering();

  /** @returns what is wrong with a line */
  add(line: string): string | undefined {
    const json = parsed(line);
    if (typeof json === 'string') return json;
    const read = lineSchema.safeParse(json.value);
    if (!read.success) return wrongLine(json.value, read.error.issues[0]);
    return read.data.kind === 'model' ? this.#model(read.data) : this.#run(read.data);
  }

  #model({ groups }: ModelLine): string | undefined {
    for (const line of groups) {
      const group = groupOf(line);
      const { hash } = group;
      if (groupHash(group) !== hash) return `group ${group.name} has other bins than its hash says; measure it again`;
      if (this.#numbering.knows(group)) return `group ${group.name} is there twice`;
      this.#numbering.add(group);
      this.groups.push(group);
    }
    return undefined;
  }

  #run({ kind: _kind, hits, ...run }: RunLine): string | undefined {
    const problem = wrongHits(hits, this.#numbering.count);
    if (problem !== undefined) return problem;
    this.runs.push({ ...run, hits: withoutEmpty(this.#numbering.byGroup(hits)) });
    return undefined;
  }
}

/** Groups that a run has not hit are no part of it: whether its file knows them says nothing about the run. */
function withoutEmpty(hits: CoverageRun['hits']): CoverageRun['hits'] {
  return Object.fromEntries(Object.entries(hits).filter(([, list]) => list.length > 0));
}

/** @returns what is wrong with pairs of bin and count */
export function wrongHits(hits: readonly number[], bins: number): string | undefined {
  if (hits.length % 2 !== 0) return 'hits are not pairs of bin and count';
  let before = -1;
  for (let i = 0; i < hits.length; i += 2) {
    const bin = hits[i] as number;
    if (bin <= before) return `bin ${bin} stands behind bin ${before}; hits are in ascending order`;
    if (bin >= bins) return `bin ${bin} is none of the ${bins} that the lines above name`;
    before = bin;
  }
  return undefined;
}

function groupOf({ items, instance, ...group }: GroupLine): GroupModel {
  // What is absent is left out rather than undefined: exact optional properties.
  return parseJson(JSON.stringify({ ...group, instance, items })) as GroupModel;
}

function parsed(line: string): { readonly value: unknown } | string {
  try {
    return { value: parseJson(line) };
  } catch (error) {
    return error instanceof DataError ? `is no line of a coverage store: ${error.message}` : 'is no line of JSON';
  }
}

function wrongLine(
  value: unknown,
  issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined,
): string {
  const format = value !== null && typeof value === 'object' && 'format' in value ? value.format : STORE_FORMAT;
  if (format !== STORE_FORMAT) return `is of format ${String(format)}; this version reads format ${STORE_FORMAT}`;
  return `is no line of a coverage store: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`;
}
