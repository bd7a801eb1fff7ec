/** What a node does: plays the runs of one chunk and writes down how they ended. */

import { resolve } from 'node:path';
import { fileReason, isFileError } from '../../files/fileError.ts';
import type { Job, JobResult } from '../job.ts';
import type { Launcher } from '../launcher.ts';
import type { LocalLauncher } from '../pool/localLauncher.ts';
import type { PoolOptions } from '../pool/workerPool.ts';
import { ResultWriter } from './chunkResults.ts';
import {
  type Chunk,
  FarmFileError,
  type FarmSettings,
  readChunk,
  readFarmSettings,
  writeRefusal,
} from './farmFiles.ts';
import type { ChunkNumber, FarmFolder } from './farmFolder.ts';
import { Lease } from './lease.ts';

/** How runs are played on this machine. */
export interface ChunkMachine {
  /** Over the sources of the build that plays here. */
  readonly sources: string;
  /** Worker processes here, whose runs leave what they leave in `out`. */
  launcher(settings: FarmSettings, out: string, listeners: ChunkListeners): LocalLauncher;
  /** Why these runs cannot or must not be played here: a folder that is missing, code that nobody has permitted. */
  obstacle(settings: FarmSettings, jobs: readonly Job[]): Promise<string | undefined>;
}

export type ChunkListeners = Pick<PoolOptions, 'onCoverage'>;

/** What became of a chunk here; `why` is for people. */
export type ChunkEnd =
  | { readonly kind: 'played' | 'cancelled' }
  | { readonly kind: 'taken' | 'refused' | 'unreadable'; readonly why: string };

/** Between two looks at orders and at what is being played (ms); less where signs of life are more frequent. */
const LOOK_MS = 1000;

/**
 * Plays a chunk.
 * @param stop called with what ends it early
 */
export async function playChunk(
  folder: FarmFolder,
  number: ChunkNumber,
  machine: ChunkMachine,
  stop: (end: () => void) => void = () => {},
): Promise<ChunkEnd> {
  if (folder.isOrdered('stop') || folder.isOrdered('finish')) return { kind: 'cancelled' };
  let settings: FarmSettings;
  let chunk: Chunk;
  try {
    settings = readFarmSettings(folder);
    chunk = readChunk(folder, number);
  } catch (error) {
    if (!(error instanceof FarmFileError)) throw error;
    return { kind: 'unreadable', why: error.message };
  }
  const lease = Lease.take(folder, number);
  if (lease === undefined)
    return { kind: 'taken', why: `chunk ${number} belongs to the process that has made ${folder.lease(number)}` };
  const why = await refusalOf(folder, settings, chunk, machine);
  if (why !== undefined) {
    writeRefusal(folder, number, why);
    return { kind: 'refused', why };
  }
  return await new ChunkRun(folder, settings, chunk, lease, machine).play(stop);
}

/** Why this machine must not play the chunk. */
async function refusalOf(
  folder: FarmFolder,
  settings: FarmSettings,
  { jobs }: Chunk,
  machine: ChunkMachine,
): Promise<string | undefined> {
  if (machine.sources !== settings.sources)
    return `the build here is of other sources than that of the regression (${machine.sources.slice(0, 12)}, ${settings.sources.slice(0, 12)}); bring both to one version`;
  return (await machine.obstacle(settings, jobs)) ?? (await otherTranscript(folder, settings, machine));
}

/** A node with another version of Node must play the probe as the regression's own machine has. */
async function otherTranscript(
  folder: FarmFolder,
  settings: FarmSettings,
  machine: ChunkMachine,
): Promise<string | undefined> {
  const here = process.versions.node;
  const { node, probe } = settings;
  if (here === node) return undefined;
  const found = await probed(machine.launcher({ ...settings, workers: 1 }, folder.path, {}), probe.job);
  if (found?.transcript === probe.transcript) return undefined;
  const how = found === undefined ? 'could not be played' : `${found.status}, transcript ${found.transcript}`;
  return `Node ${here} plays other runs than Node ${node} of the regression: ${probe.job.title} ${how}, there ${probe.transcript}; use one version of Node`;
}

/** How the probe goes on this machine; undefined where nothing can be played. */
export async function probed(launcher: Launcher, job: Job): Promise<JobResult | undefined> {
  let found: JobResult | undefined;
  await launcher.run([job], (result) => {
    found = result;
  });
  return found;
}

/** One chunk while it is being played. */
class ChunkRun {
  readonly #folder: FarmFolder;
  readonly #settings: FarmSettings;
  readonly #chunk: Chunk;
  readonly #lease: Lease;
  readonly #writer: ResultWriter;
  readonly #launcher: LocalLauncher;
  #state: 'playing' | 'stopped' = 'playing';
  #playing = '';
  #beatAt = 0;

  constructor(folder: FarmFolder, settings: FarmSettings, chunk: Chunk, lease: Lease, machine: ChunkMachine) {
    this.#folder = folder;
    this.#settings = settings;
    this.#chunk = chunk;
    this.#lease = lease;
    this.#writer = new ResultWriter(folder, chunk.number);
    const out = folder.outOf(chunk.number, chunk.isFirst);
    const onCoverage: ChunkListeners['onCoverage'] = (measured) => this.#write(() => this.#writer.coverage(measured));
    this.#launcher = machine.launcher(settings, out, { onCoverage });
  }

  async play(stop: (end: () => void) => void): Promise<ChunkEnd> {
    stop(() => this.#stop());
    const looks = setInterval(() => this.#look(), Math.min(LOOK_MS, this.#settings.beatMs / 2));
    try {
      await this.#launcher.run(this.#chunk.jobs, (result) => this.#write(() => this.#writer.result(result)));
      // Without its last line runs that have no result are lost, not left out.
      if (this.#state === 'playing') this.#write(() => this.#writer.end());
      return { kind: this.#state === 'playing' ? 'played' : 'cancelled' };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      writeRefusal(this.#folder, this.#chunk.number, why);
      return { kind: 'refused', why };
    } finally {
      clearInterval(looks);
    }
  }

  #stop(): void {
    this.#state = 'stopped';
    this.#launcher.stop();
  }

  #look(): void {
    if (this.#folder.isOrdered('stop')) {
      this.#stop();
      return;
    }
    if (this.#folder.isOrdered('finish')) this.#launcher.finish();
    const playing = this.#launcher.playing();
    const ids = playing.map(({ id }) => id).join(' ');
    const now = performance.now();
    if (ids === this.#playing && now < this.#beatAt) return;
    this.#playing = ids;
    this.#beatAt = now + this.#settings.beatMs;
    this.#lease.beat(playing);
    this.#write(() => this.#writer.flush());
  }

  /** A result that cannot be written is none: the chunk ends, and its runs are given out again. */
  #write(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isFileError(error)) throw error;
      process.stderr.write(`${this.#folder.results(this.#chunk.number)}: ${fileReason(error)}\n`);
      this.#stop();
    }
  }
}

/** Whether a folder can be that of a session: `<out>/farm/<number>`, with its whole path. */
export function isSessionPath(path: string): boolean {
  return resolve(path) === path && /^\/.+\/farm\/[1-9]\d{0,8}$/.test(path);
}
