/** How the bugs of postedInErrorFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const POSTED_IN_ERROR: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=posted_in_error'];

export const POSTED_IN_ERROR_ROWS = [
  {
    name: 'posted_in_error_receive',
    block: 'receive flush',
    description: 'a receive that is posted in the error state while the ring is read for the one before is not flushed',
    caughtBy: ['SCB_MISSING'],
    needs: [...POSTED_IN_ERROR, '+SEQ_COUNT=40', '+PCIE_CPL_SPLIT=100', '+PCIE_CPL_REORDER=100'],
  },
  {
    name: 'posted_in_error_send',
    block: 'send completion',
    description: 'a request that is posted in the error state while the one before is fetched is not flushed',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_ORDER', 'SCB_MISSING'],
    needs: POSTED_IN_ERROR,
  },
] as const satisfies readonly FaultRow[];
