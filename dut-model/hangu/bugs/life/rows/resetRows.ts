/** How the bugs of resetFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const RESET_ROWS = [
  {
    name: 'reset_before_completions',
    block: 'completion',
    description: 'RESET ends before the completions of what its queue pair has done are written',
    caughtBy: ['SCB_QPN'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=reset_after_sends',
      ...['+RC_QP_NUM=8', '+UC_QP_NUM=8', '+NIC_CQC_CACHE=4', '+NIC_MTT_CACHE=8', '+PCIE_MEMORY_NS=3000'],
    ],
  },
] as const satisfies readonly FaultRow[];
