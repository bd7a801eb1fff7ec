/** Reads the bytes of one side of a transfer, for messages. Slow path. */

import { NOT_STORED } from './dataPages.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import type { BufferCursor } from './bufferCursor.ts';

/** Bytes of one side from position `from` on; with `initial` what its pages hold before any write. */
export function readBuffer(
  s: OracleState,
  side: BufferCursor,
  from: number,
  count: number,
  initial = false,
): Uint8Array {
  const out = new Uint8Array(count);
  const scratch = s.scratch;
  if (!side.skip(from)) return out;
  for (let done = 0; done < count && side.load(); ) {
    const n = Math.min(count - done, side.left, PAGE_BYTES - side.offset);
    if (!side.located) side.locate(s.pages);
    let at = (side.place >>> 0) + side.offset;
    if (side.place === NOT_STORED || initial) {
      at = scratch;
      s.bytes.fillSeeded(s.pages.key(side.entry), side.offset, scratch, n);
    }
    out.set(s.bytes.u8.subarray(at, at + n), done);
    side.advance(n);
    done += n;
  }
  return out;
}
