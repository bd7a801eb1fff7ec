/**
 * A chunk belongs to the process that has made its lease, for good: a process that comes later, because a scheduler has
 * started the chunk once more, plays nothing. The holder writes its lease anew as long as it lives, with a count that goes
 * up: whoever watches needs no clock that agrees with that of another machine.
 */

import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { isFileError } from '../../files/fileError.ts';
import { writeAtomically } from '../atomicFile.ts';
import type { PlayingJob } from '../launcher.ts';
import { FarmFileError, readChecked } from './farmFiles.ts';
import type { ChunkNumber, FarmFolder } from './farmFolder.ts';
import { machineName } from './machineName.ts';

/** What a lease says. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** Version of Node. */
  readonly node: string;
  /** Goes up with each sign of life. */
  readonly beat: number;
  /** What was being played at that time. */
  readonly playing: readonly PlayingJob[];
}

const MOST_BYTES = 65_536;
const holderSchema = z.strictObject({
  host: z.string().max(256),
  pid: z.int().min(0),
  node: z.string().max(64),
  beat: z.int().min(0),
  playing: z.array(z.strictObject({ id: z.string().max(300), wallMs: z.number().min(0) })).max(512),
});

export class Lease {
  readonly #path: string;
  #beat = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @returns undefined where another process has it */
  static take(folder: FarmFolder, chunk: ChunkNumber): Lease | undefined {
    const path = folder.lease(chunk);
    try {
      writeFileSync(path, textOf(0, []), { flag: 'wx' });
      return new Lease(path);
    } catch (error) {
      if (isFileError(error) && error.code === 'EEXIST') return undefined;
      throw error;
    }
  }

  /** A folder that cannot be written for a while is no reason to end a run. */
  beat(playing: readonly PlayingJob[]): void {
    this.#beat++;
    try {
      writeAtomically(this.#path, textOf(this.#beat, playing));
    } catch (error) {
      if (!isFileError(error)) throw error;
    }
  }
}

/** Who plays a chunk; undefined where nobody does yet, or where it cannot be read now. */
export function holderOf(folder: FarmFolder, chunk: ChunkNumber): Holder | undefined {
  try {
    return readChecked(folder.lease(chunk), holderSchema, MOST_BYTES);
  } catch (error) {
    if (error instanceof FarmFileError) return undefined;
    throw error;
  }
}

function textOf(beat: number, playing: readonly PlayingJob[]): string {
  const holder: Holder = { host: machineName(), pid: process.pid, node: process.versions.node, beat, playing };
  return `${JSON.stringify(holder)}\n`;
}
