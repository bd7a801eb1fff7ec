/** Bugs of requests that are posted in the error state, while those before them are flushed. */
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { ReceiveFlush } from '../../model/transport/receiveFlush.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** Does not look again for receives that may have been posted behind the look that found none. */
class DeafFlush extends ReceiveFlush {
  override enterError(slot: QpSlot): void {
    super.enterError(slot);
    slot.rqFlushAgain = false;
  }
}

/** Loses the doorbells that come while it fetches a request to flush it. */
class DeafCompletion extends SendCompletion {
  override flushFetched(r: SendRequest): void {
    r.slot.doorbells = null;
    super.flushFetched(r);
  }
}

const POSTED_IN_ERROR: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=posted_in_error'];

export const POSTED_IN_ERROR_FAULTS: readonly Fault[] = [
  {
    name: 'posted_in_error_receive',
    block: 'receive flush',
    description: 'a receive that is posted in the error state while the ring is read for the one before is not flushed',
    caughtBy: ['SCB_MISSING'],
    needs: [...POSTED_IN_ERROR, '+SEQ_COUNT=40', '+PCIE_CPL_SPLIT=100', '+PCIE_CPL_REORDER=100'],
    create: planted({ receiveFlush: DeafFlush }),
  },
  {
    name: 'posted_in_error_send',
    block: 'send completion',
    description: 'a request that is posted in the error state while the one before is fetched is not flushed',
    caughtBy: ['SCB_ORDER', 'SCB_MISSING'],
    needs: POSTED_IN_ERROR,
    create: planted({ sendCompletion: DeafCompletion }),
  },
];
