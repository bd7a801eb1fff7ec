/**
 * Writes comments to frames of a capture that is closed: findings are known only when the frames have been written. The
 * file is read once and written anew, block by block; what has no comment stays as it is.
 */

import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';

const ENHANCED_PACKET = 6;
/** Type and length of a block, then of a packet block: interface, time, captured and original length. */
const BLOCK_HEAD = 8;
const PACKET_HEAD = 28;
const OPTION_COMMENT = 1;
/** Flags, end of options, length of the block. */
const FLAGS_BEFORE_END = 12;
const DIRECTION_BITS = 3;
const OUTBOUND = 2;
const LONGEST_COMMENT = 2000;
const TWO_32 = 2 ** 32;

/** A frame of a capture. */
export interface CapturedFrame {
  /** Host whose NIC sent it, or which it reaches. */
  readonly host: number;
  /** It was captured as it left. */
  readonly isSent: boolean;
  /** First bit on the wire, ns. */
  readonly ns: number;
  readonly bytes: Uint8Array;
}

/**
 * @param commentOf what is to be said of a frame; undefined = nothing
 * @returns number of frames with a comment
 */
export function commentFrames(path: string, commentOf: (frame: CapturedFrame) => string | undefined): number {
  const part = `${path}.${process.pid}.part`;
  const [from, to] = [openSync(path, 'r'), openSync(part, 'w')];
  let commented = 0;
  try {
    for (let block = readBlock(from); block !== undefined; block = readBlock(from)) {
      const comment = block.readInt32LE(0) === ENHANCED_PACKET ? commentOf(frameOf(block)) : undefined;
      if (comment !== undefined) commented++;
      const bytes = comment === undefined ? block : withComment(block, comment);
      for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at);
    }
    if (commented > 0) renameSync(part, path);
    return commented;
  } finally {
    closeSync(from);
    closeSync(to);
    rmSync(part, { force: true });
  }
}

/** Undefined at the end of the file, and where it was cut off. */
function readBlock(file: number): Buffer | undefined {
  const head = Buffer.alloc(BLOCK_HEAD);
  if (!readAll(file, head)) return undefined;
  const block = Buffer.alloc(head.readUInt32LE(4));
  head.copy(block);
  return readAll(file, block.subarray(BLOCK_HEAD)) ? block : undefined;
}

function readAll(file: number, into: Buffer): boolean {
  for (let at = 0; at < into.length; ) {
    const count = readSync(file, into, at, into.length - at, null);
    if (count === 0) return false;
    at += count;
  }
  return true;
}

function frameOf(block: Buffer): CapturedFrame {
  const ns = block.readUInt32LE(12) * TWO_32 + block.readUInt32LE(16);
  const length = block.readUInt32LE(20);
  // The flags are the last option.
  const isSent = (block.readUInt32LE(block.length - FLAGS_BEFORE_END) & DIRECTION_BITS) === OUTBOUND;
  return { host: block.readUInt32LE(8), isSent, ns, bytes: block.subarray(PACKET_HEAD, PACKET_HEAD + length) };
}

/** The comment is the first option: those stand between the padded frame and the length at the end. */
function withComment(block: Buffer, comment: string): Buffer {
  const text = Buffer.from(comment, 'utf8').subarray(0, LONGEST_COMMENT);
  const padded = (text.length + 3) & ~3;
  const option = Buffer.alloc(4 + padded);
  const options = PACKET_HEAD + ((block.readUInt32LE(20) + 3) & ~3);
  option.writeUInt16LE(OPTION_COMMENT, 0);
  option.writeUInt16LE(text.length, 2);
  text.copy(option, 4);
  const total = Buffer.alloc(4);
  total.writeUInt32LE(block.length + option.length);
  const bytes = Buffer.concat([block.subarray(0, options), option, block.subarray(options, -4), total]);
  bytes.writeUInt32LE(block.length + option.length, 4);
  return bytes;
}
