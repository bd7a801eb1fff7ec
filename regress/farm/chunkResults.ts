/**
 * Results of a chunk: a line each, appended by the process that plays it. One file a chunk, not one a run: a file server
 * creates some hundred files a second.
 */

import { closeSync, existsSync, fdatasyncSync, openSync, statSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DataError } from '../../files/dataError.ts';
import { jsonOf } from '../../files/json.ts';
import { StoredFile } from '../../files/storedFile.ts';
import { binCount, type GroupModel, groupHash } from '../../uvm/coverage/model.ts';
import { writeAtomically } from '../atomicFile.ts';
import { groupRef } from '../coverage/database.ts';
import type { MeasuredRun } from '../coverage/measuredRun.ts';
import { wrongHits } from '../coverage/readStore.ts';
import { groupSchema, measuredRunSchema } from '../coverage/storeSchema.ts';
import type { JobResult } from '../job.ts';
import { jobResultSchema } from '../journalSchema.ts';
import { FarmFileError, readChecked } from './farmFiles.ts';
import type { ChunkNumber, FarmFolder } from './farmFolder.ts';

/** Longest line: a result with the hits of a run. */
const MOST_LINE = 16 * 2 ** 20;
const MOST_MODEL = 64 * 2 ** 20;
const NEWLINE = 0x0a;

/** `groups` are covergroups that the process has not named before, whether they have hits or not. */
const coverageSchema = z.strictObject({ run: measuredRunSchema, groups: z.array(z.string().max(1000)).max(10_000) });
const lineSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('result'), result: jobResultSchema, coverage: coverageSchema.optional() }),
  z.strictObject({ kind: z.literal('end') }),
]);

type Line = z.infer<typeof lineSchema>;

/** A run that has ended, with the coverage that was measured. */
export interface PlayedLine {
  readonly result: JobResult;
  readonly coverage: MeasuredRun | undefined;
}

/** Appends results as runs end. */
export class ResultWriter {
  readonly #folder: FarmFolder;
  readonly #file: number;
  readonly #measured = new Map<string, z.infer<typeof coverageSchema>>();

  constructor(folder: FarmFolder, chunk: ChunkNumber) {
    this.#folder = folder;
    this.#file = openSync(folder.results(chunk), 'ax');
  }

  /** Comes before the result of its run. */
  coverage({ groups, run }: MeasuredRun): void {
    for (const group of groups) writeModel(this.#folder, group);
    const plain = { ...run, plusargs: [...run.plusargs], hits: { ...run.hits } as Record<string, number[]> };
    this.#measured.set(run.name, { run: plain, groups: groups.map(groupRef) });
  }

  result(result: JobResult): void {
    const coverage = this.#measured.get(result.id);
    this.#measured.delete(result.id);
    this.#append({ kind: 'result', result, ...(coverage === undefined ? {} : { coverage }) });
  }

  /** Lets other machines see what has been written. */
  flush(): void {
    fdatasyncSync(this.#file);
  }

  /** Nothing follows. */
  end(): void {
    this.#append({ kind: 'end' });
    closeSync(this.#file);
  }

  #append(line: unknown): void {
    let bytes: Uint8Array = Buffer.from(`${JSON.stringify(line)}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#file, bytes));
  }
}

/** Reads what is new in the results of a chunk, whole lines alone. */
export class ResultReader {
  readonly #folder: FarmFolder;
  readonly #path: string;
  readonly #models: ModelReader;
  #read = 0;
  #lines = 0;
  /** Its process has said that nothing follows. */
  ended = false;

  constructor(folder: FarmFolder, chunk: ChunkNumber, models: ModelReader) {
    this.#folder = folder;
    this.#path = folder.results(chunk);
    this.#models = models;
  }

  /**
   * @returns runs that have ended since the last time
   * @throws FarmFileError for a line that is none; what stands before it has been returned, and nothing behind it is read
   */
  *fresh(): Generator<PlayedLine> {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#read) return;
    for (const text of this.#wholeLines()) {
      this.#lines++;
      const line = this.#lineOf(text);
      if (line.kind === 'end') this.ended = true;
      else yield { result: line.result as JobResult, coverage: this.#measuredOf(line) };
    }
  }

  *#wholeLines(): Generator<string> {
    const file = new StoredFile(this.#path);
    try {
      const bytes = Buffer.alloc(Math.max(0, file.size - this.#read));
      if (bytes.length === 0) return;
      file.seek(this.#read);
      const whole = bytes.subarray(0, file.read(bytes)).lastIndexOf(NEWLINE) + 1;
      if (whole === 0 && bytes.length > MOST_LINE) throw this.#wrong(`a line is longer than ${MOST_LINE} bytes`);
      for (let at = 0; at < whole; ) {
        const end = bytes.indexOf(NEWLINE, at);
        yield bytes.toString('utf8', at, end);
        this.#read += end + 1 - at;
        at = end + 1;
      }
    } finally {
      file.close();
    }
  }

  #lineOf(text: string): Line {
    try {
      return jsonOf(text, lineSchema);
    } catch (error) {
      if (error instanceof DataError) throw this.#wrong(error.message);
      throw error;
    }
  }

  #measuredOf({ coverage }: Extract<Line, { kind: 'result' }>): MeasuredRun | undefined {
    if (coverage === undefined) return undefined;
    const { run } = coverage;
    const refs = new Set([...coverage.groups, ...Object.keys(run.hits)]);
    const groups = [...refs].map((ref) => this.#models.group(this.#folder, ref));
    for (const group of groups) {
      const problem = wrongHits(run.hits[groupRef(group)] ?? [], binCount(group));
      if (problem !== undefined) throw this.#wrong(`coverage.hits: ${group.name}: ${problem}`);
    }
    return { groups, run };
  }

  #wrong(why: string): FarmFileError {
    return new FarmFileError(`${this.#path}:${this.#lines}: ${why}`);
  }
}

/** Covergroups that results refer to, each read once. */
export class ModelReader {
  readonly #known = new Map<string, GroupModel>();

  /** @throws FarmFileError where it is not there, or is another one */
  group(folder: FarmFolder, ref: string): GroupModel {
    const known = this.#known.get(ref);
    if (known !== undefined) return known;
    const path = folder.model(hashOf(ref));
    const group = readChecked(path, groupSchema, MOST_MODEL) as GroupModel;
    if (groupRef(group) !== ref || groupHash(group) !== group.hash)
      throw new FarmFileError(`${path}: is not the covergroup ${ref.slice(0, 200)}`);
    this.#known.set(ref, group);
    return group;
  }
}

function writeModel(folder: FarmFolder, group: GroupModel): void {
  const path = folder.model(hashOf(groupRef(group)));
  if (existsSync(path)) return;
  try {
    writeAtomically(path, `${JSON.stringify(group)}\n`);
  } catch (error) {
    // The process of another chunk, on a machine that gives the same numbers to processes, was faster.
    if (!existsSync(path)) throw error;
  }
}

/** Names of groups may hold anything. */
function hashOf(ref: string): string {
  return createHash('sha256').update(ref).digest('hex').slice(0, 32);
}
