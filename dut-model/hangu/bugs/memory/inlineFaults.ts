/** Bugs of data that are in the work-queue entry itself. */
import { Gather } from '../../model/memory/gather.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** Stimulus with inline data of all lengths, on every service. */
const INLINE_DATA: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=inline_data',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=2',
  '+UD_QP_NUM=2',
];

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

export const INLINE_FAULTS: readonly Fault[] = [
  {
    name: 'inline_count_sent',
    block: 'gather',
    description: 'inline data begin with the count in front of them',
    caughtBy: ['SCB_DATA'],
    needs: INLINE_DATA,
    create: planted({ gather: CountAsData }),
  },
  {
    name: 'inline_rest_lost',
    block: 'gather',
    description: 'of inline data the bytes behind the last whole dword are not sent',
    caughtBy: ['SCB_DATA'],
    needs: INLINE_DATA,
    create: planted({ gather: WholeDwords }),
  },
];
