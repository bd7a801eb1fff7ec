/** Bugs of where a memory region begins. */
import { CMD, PAGE_BYTES } from '../../rdma/hangu/commands.ts';
import { MPT_FIELD, MPT_PERMISSION } from '../../rdma/hangu/contexts.ts';
import type { CommandHandler } from '../hangu/commandContext.ts';
import { CommandEngine } from '../hangu/commandEngine.ts';
import { readHigh, readLow, writeField } from '../hangu/commands/mailbox.ts';
import { planted } from './fault.ts';
import type { Fault } from './fault.ts';

/** Lower half of where a region begins. */
const START_LOW = [MPT_FIELD.start[0] + 4, 4] as const;

/** Counts the addresses of a zero-based region from the start of its first page. */
class PagedOffsets extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const { bytes } = this.core;
    if (this.opcode === CMD.sw2hwMpt && readHigh(bytes, this.inbox, MPT_FIELD.flags) & MPT_PERMISSION.zeroBased) {
      const start = readLow(bytes, this.inbox, MPT_FIELD.start) >>> 0;
      writeField(bytes, this.inbox, START_LOW, start - (start % PAGE_BYTES));
    }
    return super.execute(handler);
  }
}

export const REGION_FAULTS: readonly Fault[] = [
  {
    name: 'zero_based_from_page',
    block: 'command engine',
    description: 'what a zero-based region opens is counted from the start of its first page',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=zero_based', '+UD_QP_NUM=0'],
    create: planted({ commands: PagedOffsets }),
  },
];
