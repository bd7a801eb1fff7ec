/** Files of a farm, written and read back. What lies on a shared folder is checked as anything that somebody has sent. */

import { existsSync } from 'node:fs';
import { z } from 'zod';
import { DataError, whyUnread } from '../../files/dataError.ts';
import { readStoredText } from '../../files/inputFile.ts';
import { jsonOf } from '../../files/json.ts';
import { writeAtomically } from '../atomicFile.ts';
import type { Job } from '../job.ts';
import { jobSchema } from '../journalSchema.ts';
import type { PlayerSettings } from '../pool/player.ts';
import type { ChunkNumber, FarmFolder } from './farmFolder.ts';
import { machineName } from './machineName.ts';

/** How runs are played on every node. */
export interface FarmSettings {
  /** Over the sources of the build: a node with another build would play other runs. */
  readonly sources: string;
  /** Version of Node that has played the probe. */
  readonly node: string;
  /** A short run and its transcript: a node with another version of Node shows that it plays the same. */
  readonly probe: { readonly job: Job; readonly transcript: string };
  /** Folders of tests that runs name, by whole path: SHA-256 over their sources. */
  readonly testFolders: Readonly<Record<string, string>>;
  readonly keep: PlayerSettings['keep'];
  readonly stored: boolean;
  readonly coverage: boolean;
  /** Wall-clock limit of a run that names none (s). */
  readonly timeoutSeconds: number;
  /** JavaScript heap of a worker in MiB. */
  readonly heapMb: number;
  /** Worker processes of a chunk. */
  readonly workers: number;
  /** The process of a chunk gives a sign of life so often (ms). */
  readonly beatMs: number;
}

/** Runs that one process plays. */
export interface Chunk {
  readonly number: ChunkNumber;
  /** None of its runs was given out before. */
  readonly isFirst: boolean;
  readonly jobs: readonly Job[];
}

/** Why a node does not play a chunk. */
export interface Refusal {
  readonly host: string;
  readonly why: string;
}

/** A file of a farm is missing or wrong; the message names it and says what it should be. */
export class FarmFileError extends Error {}

const MIB = 2 ** 20;
const MOST_BYTES = { settings: MIB, chunk: 64 * MIB, refusal: 65_536 };
const FORMAT = 'rnic-verify farm 1';
/** Characters of a reason that a node gives. */
const MOST_WHY = 4000;

const farmSchema = z.strictObject({
  format: z.literal(FORMAT),
  sources: z.string().max(256),
  node: z.string().max(64),
  probe: z.strictObject({ job: jobSchema, transcript: z.string().max(256) }),
  testFolders: z.record(z.string(), z.string().max(256)),
  keep: z.enum(['failures', 'all', 'none']),
  stored: z.boolean(),
  coverage: z.boolean(),
  timeoutSeconds: z.number().min(0),
  heapMb: z.int().min(64).max(1_000_000),
  workers: z.int().min(1).max(512),
  beatMs: z.int().min(10).max(3_600_000),
});
const chunkSchema = z.strictObject({ isFirst: z.boolean(), jobs: z.array(jobSchema).min(1).max(100_000) });
const refusalSchema = z.strictObject({ host: z.string().max(256), why: z.string().max(MOST_WHY) });

export function writeFarmSettings(folder: FarmFolder, settings: FarmSettings): void {
  writeAtomically(folder.settings, `${JSON.stringify({ format: FORMAT, ...settings }, undefined, 2)}\n`);
}

/** @throws FarmFileError */
export function readFarmSettings(folder: FarmFolder): FarmSettings {
  const { format: _format, ...settings } = readChecked(folder.settings, farmSchema, MOST_BYTES.settings);
  return settings;
}

export function writeChunk(folder: FarmFolder, { number, isFirst, jobs }: Chunk): void {
  writeAtomically(folder.chunk(number), `${JSON.stringify({ isFirst, jobs })}\n`);
}

/** @throws FarmFileError */
export function readChunk(folder: FarmFolder, number: ChunkNumber): Chunk {
  return { number, ...readChecked(folder.chunk(number), chunkSchema, MOST_BYTES.chunk) };
}

export function writeRefusal(folder: FarmFolder, number: ChunkNumber, why: string): void {
  writeAtomically(folder.refusal(number), `${JSON.stringify({ host: machineName(), why: why.slice(0, MOST_WHY) })}\n`);
}

/** Undefined where there is none. What cannot be read is a refusal, too: nothing good comes from that node. */
export function readRefusal(folder: FarmFolder, number: ChunkNumber): Refusal | undefined {
  const path = folder.refusal(number);
  if (!existsSync(path)) return undefined;
  try {
    return readChecked(path, refusalSchema, MOST_BYTES.refusal);
  } catch (error) {
    if (error instanceof FarmFileError) return { host: '', why: error.message };
    throw error;
  }
}

/** @throws FarmFileError */
export function readChecked<S extends z.ZodType>(path: string, schema: S, mostBytes: number): z.output<S> {
  try {
    return jsonOf(readStoredText(path, { mostBytes }), schema);
  } catch (error) {
    const why = error instanceof DataError ? error.message : whyUnread(error);
    if (why === undefined) throw error;
    throw new FarmFileError(`${path}: ${why}`);
  }
}
