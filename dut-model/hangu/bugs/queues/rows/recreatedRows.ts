/** How the bugs of recreatedFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const RECREATED_ROWS = [
  {
    name: 'cq_armed_anew',
    block: 'command engine',
    description: 'a completion queue is armed from the start if the one before of its number was when it was destroyed',
    caughtBy: ['SCB_EVENT_UNARMED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=recreated_queues', '+RC_QP_NUM=1'],
  },
] as const satisfies readonly FaultRow[];
