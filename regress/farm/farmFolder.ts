/**
 * A farm plays the runs of a regression elsewhere: nodes of a scheduler, or workers of a queue, that see the folder of the
 * regression under the same path. All that passes between the regression and its nodes are files of one session,
 * `<out>/farm/<session>`:
 *
 *   farm.json          how runs are played; written before anything is submitted
 *   chunks/<n>.json    runs of one chunk, which one process plays; a chunk that is given out again has a new number
 *   leases/<n>         who plays the chunk: made once, by the first process that comes, and written anew as long as it lives
 *   results/<n>.jsonl  how its runs ended, a line each, by that process alone
 *   models/<hash>.json covergroups of which results have hits
 *   refused/<n>        why a node does not play a chunk
 *   stop, finish       the regression wants no further results, or no further runs to begin
 *   logs/              what the processes of chunks have printed
 */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../makeFolder.ts';

/** Number of a chunk, in the order of their making. */
export type ChunkNumber = number & { readonly brand: 'chunk' };

/** Order that the regression gives to all of its chunks. */
export type FarmOrder = 'stop' | 'finish';

/** Folder for what runs leave that are played once more. */
const PLAYED_AGAIN = 'again';

export class FarmFolder {
  /** Whole path. */
  readonly path: string;

  /** @param path `<out>/farm/<session>` */
  constructor(path: string) {
    this.path = path;
  }

  /** The folder of a session that begins, behind those of earlier ones. */
  static begin(out: string): FarmFolder {
    const earlier = FarmFolder.sessions(out).map(({ session }) => session);
    const folder = new FarmFolder(join(out, 'farm', String(Math.max(0, ...earlier) + 1)));
    for (const part of ['chunks', 'leases', 'results', 'models', 'refused', 'logs'])
      makeFolder(join(folder.path, part));
    return folder;
  }

  /** All sessions of a regression, the oldest first. */
  static sessions(out: string): readonly FarmFolder[] {
    const farm = join(out, 'farm');
    const names = existsSync(farm) ? readdirSync(farm).filter((name) => /^[1-9]\d{0,8}$/.test(name)) : [];
    return names.map((name) => new FarmFolder(join(farm, name))).sort((a, b) => a.session - b.session);
  }

  /** Number of the session, from 1. */
  get session(): number {
    return Number(basename(this.path));
  }

  /** Folder of the regression. */
  get out(): string {
    return dirname(dirname(this.path));
  }

  /**
   * Where the runs of a chunk leave records and logs. A process that was taken for lost may go on: what is played again
   * never writes into the same folders.
   */
  outOf(chunk: ChunkNumber, isFirst: boolean): string {
    return isFirst ? this.out : join(this.out, PLAYED_AGAIN, `${this.session}-${chunk}`);
  }

  get settings(): string {
    return join(this.path, 'farm.json');
  }

  get logs(): string {
    return join(this.path, 'logs');
  }

  chunk(chunk: ChunkNumber): string {
    return join(this.path, 'chunks', `${chunk}.json`);
  }

  /** Of all chunks that were given out, in their order. */
  chunkNumbers(): readonly ChunkNumber[] {
    const numbers = readdirSync(join(this.path, 'chunks')).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
    return numbers.map((number) => Number(number) as ChunkNumber).sort((a, b) => a - b);
  }

  lease(chunk: ChunkNumber): string {
    return join(this.path, 'leases', String(chunk));
  }

  results(chunk: ChunkNumber): string {
    return join(this.path, 'results', `${chunk}.jsonl`);
  }

  model(hash: string): string {
    return join(this.path, 'models', `${hash}.json`);
  }

  refusal(chunk: ChunkNumber): string {
    return join(this.path, 'refused', String(chunk));
  }

  order(order: FarmOrder): string {
    return join(this.path, order);
  }

  isOrdered(order: FarmOrder): boolean {
    return existsSync(this.order(order));
  }
}
