/** Bytes of host memory that frames of software lie in, by virtual address. */

import type { Sge } from '../../agents/verbs/verbsItems.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { NO_REGION } from '../model/mrTable.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from '../memory/scoreboardMemory.ts';
import type { FramePiece } from './rawQueue.ts';

/** What pieces of memory of a process hold, one behind the other. */
export function bytesOf(s: OracleState, host: number, process: number, pieces: readonly FramePiece[]): Uint8Array {
  const out = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const { hi, lo, length } of pieces) {
    for (let done = 0; done < length; ) {
      const at = (lo >>> 0) + done;
      const upper = at >= TWO_32 ? (hi + 1) | 0 : hi;
      const n = Math.min(length - done, PAGE_BYTES - (at & PAGE_MASK));
      out.set(pieceOf(s, host, process, upper, at | 0, n), filled);
      filled += n;
      done += n;
    }
  }
  return out;
}

/** Within one page. */
function pieceOf(s: OracleState, host: number, process: number, hi: number, lo: number, n: number): Uint8Array {
  const { memory, bytes, scratch } = s;
  memory.translate(host, process, hi, lo);
  const { physHi, physLo } = memory;
  const page = memory.page(host, physHi, physLo >>> PAGE_SHIFT);
  if (page !== -1) {
    const at = (page >>> 0) + (physLo & PAGE_MASK);
    return bytes.u8.subarray(at, at + n);
  }
  bytes.fillSeeded(memory.pageKey(host, physHi, physLo >>> PAGE_SHIFT), physLo & PAGE_MASK, scratch, n);
  return bytes.u8.subarray(scratch, scratch + n);
}

/** Entries of a list as pieces. */
export function piecesOf(sges: readonly Sge[], count: number): FramePiece[] {
  return sges.slice(0, count).map(({ hi, lo, length }) => ({ hi, lo, length }));
}

/**
 * Whether the keys of a list open its memory to a queue pair of a protection domain.
 * @param right `ACCESS` bits that its regions must have
 */
export function isOpen(
  s: OracleState,
  host: number,
  pd: number,
  sges: readonly Sge[],
  count: number,
  right: number,
): boolean {
  return sges.slice(0, count).every(({ hi, lo, length, lkey }) => {
    if (length === 0) return true;
    const region = s.mrs.find(host, lkey);
    return region !== NO_REGION && s.mrs.allows(region, pd, right) && s.mrs.holds(region, hi, lo, length);
  });
}
