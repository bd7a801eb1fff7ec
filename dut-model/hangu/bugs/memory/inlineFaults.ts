/** Bugs of data that are in the work-queue entry itself. */
import { Gather } from '../../model/memory/gather.ts';
import { faultsOf, planted } from '../fault.ts';
import { INLINE_ROWS } from './rows/inlineRows.ts';

/** Bytes of a segment's count. */
const COUNT_BYTES = 4;

const DWORD = 4;

/** Takes the count of the segment for the beginning of its data. */
class CountAsData extends Gather {
  protected override inline(at: number, from: number, size: number, left: number): number {
    return super.inline(at, from - COUNT_BYTES, size, left);
  }
}

/** Moves whole dwords, and forgets the bytes behind them. */
class WholeDwords extends Gather {
  protected override inline(at: number, from: number, size: number, left: number): number {
    const n = Math.min(size, left);
    super.inline(at, from, n & -DWORD, left);
    return n;
  }
}

export const INLINE_FAULTS = faultsOf(INLINE_ROWS, {
  inline_count_sent: planted({ gather: CountAsData }),
  inline_rest_lost: planted({ gather: WholeDwords }),
});
