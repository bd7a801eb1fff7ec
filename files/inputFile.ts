/**
 * Reads what a user names as an input: a file, or a pipe such as `<(command)`, of bounded size and within bounded time; and
 * what a program has stored, which is an ordinary file. Whatever else may lie under a name, a device or a pipe into which
 * nobody writes, would be read for ever.
 */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

const MIB = 2 ** 20;
/** Larger than any list, record or scenario that can be played. */
const MOST_BYTES = 64 * MIB;
const PIECE_BYTES = MIB;
const LEAST_BYTES = 4096;
/** For how long a pipe may say nothing, and time between two looks at it (ms). */
const PATIENCE_MS = 10_000;
const LOOK_MS = 20;

/** The name leads to something that is no input. The message says what it is, and what to give instead. */
export class InputError extends Error {}

/** What specs make smaller. */
export interface InputLimits {
  readonly mostBytes?: number;
  readonly patienceMs?: number;
}

/**
 * All bytes of a file or pipe.
 * @throws InputError for a device, for more than 64 MiB, and for a pipe that is silent for 10 s; the error of the file
 *   system when it cannot be read
 */
export function readInput(
  path: string,
  { mostBytes = MOST_BYTES, patienceMs = PATIENCE_MS }: InputLimits = {},
): Buffer {
  // Without waiting for somebody to write.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    requireReadable(stat, mostBytes);
    return readAll(fd, stat, mostBytes, patienceMs);
  } finally {
    closeSync(fd);
  }
}

/** The same as text. */
export function readInputText(path: string, limits?: InputLimits): string {
  return readInput(path, limits).toString('utf8');
}

/**
 * The text of a file that a program has stored, and that nobody has named: a pipe under its name is no answer to anything.
 * @throws InputError for what is no ordinary file, and for more than 64 MiB; the error of the file system when it cannot
 *   be read
 */
export function readStoredText(path: string, { mostBytes = MOST_BYTES }: Pick<InputLimits, 'mostBytes'> = {}): string {
  return readStored(path, mostBytes).toString('utf8');
}

/** The same as bytes. */
export function readStored(path: string, mostBytes = MOST_BYTES): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() && !stat.isDirectory())
      throw new InputError(`it is ${kindOf(stat)}, where an ordinary file was stored; take it away`);
    requireReadable(stat, mostBytes);
    return readAll(fd, stat, mostBytes, 0);
  } finally {
    closeSync(fd);
  }
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}

function requireReadable(stat: Stats, mostBytes: number): void {
  if (stat.isCharacterDevice() || stat.isBlockDevice())
    throw new InputError('it is a device; give a file, or a pipe such as <(command)');
  if (stat.size > mostBytes) throw tooLarge(mostBytes);
}

function tooLarge(mostBytes: number): InputError {
  return new InputError(
    `it is larger than ${mostBytes / MIB} MiB, which no input needs; split it, or give another file`,
  );
}

function readAll(fd: number, stat: Stats, mostBytes: number, patienceMs: number): Buffer {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let silentMs = 0;
  // Of /proc the system does not say how large a file is.
  const first = stat.isFile() ? Math.min(PIECE_BYTES, stat.size + LEAST_BYTES) : PIECE_BYTES;
  let piece = Buffer.allocUnsafe(first);
  for (;;) {
    const n = readPiece(fd, piece);
    // A pipe has no end before somebody has written into it.
    if (n === 0 && !(stat.isFIFO() && bytes === 0)) return Buffer.concat(pieces);
    if (n > 0) {
      bytes += n;
      silentMs = 0;
      pieces.push(piece.subarray(0, n));
      piece = n < piece.length ? piece.subarray(n) : Buffer.allocUnsafe(PIECE_BYTES);
      if (bytes > mostBytes) throw tooLarge(mostBytes);
    } else if (silentMs >= patienceMs)
      throw new InputError(
        `it is a pipe, and nothing has come for ${patienceMs / 1000} s; give a file, or write into it`,
      );
    else {
      pause();
      silentMs += LOOK_MS;
    }
  }
}

/** @returns bytes read, 0 at the end, -1 while nothing is there */
function readPiece(fd: number, piece: Buffer): number {
  try {
    return readSync(fd, piece);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return -1;
    throw error;
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
}
