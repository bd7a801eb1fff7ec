/** Bugs of RESET while completions of its queue pair wait for their completion queue. */
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** Lets RESET end while completions of its queue pair wait to be written. */
class HastyUnit extends CompletionUnit {
  override hasWritten(): boolean {
    return true;
  }
}

export const RESET_FAULTS: readonly Fault[] = [
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
    create: planted({ completions: HastyUnit }),
  },
];
