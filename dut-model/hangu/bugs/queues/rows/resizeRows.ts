/** How the bugs of resizeFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const RESIZED_QUEUES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=resized_queues',
  '+RC_QP_NUM=8',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

export const RESIZE_ROWS = [
  {
    name: 'resize_restarts',
    block: 'command engine',
    description: 'a completion queue that is resized begins at the first place of its new ring',
    caughtBy: ['HCA_CQE_INDEX'],
    needs: RESIZED_QUEUES,
  },
  {
    name: 'resize_size_kept',
    block: 'command engine',
    description: 'a completion queue that is resized goes round as before',
    decides: 'NIC writes # B of completion queue #, byte #',
    caughtBy: ['SCB_CQE_ADDR', 'HCA_CQE_INDEX'],
    needs: RESIZED_QUEUES,
  },
  {
    name: 'resize_ring_kept',
    block: 'command engine',
    description: 'a completion queue that is resized stays in its ring',
    decides: 'NIC writes # B of memory',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: RESIZED_QUEUES,
  },
  {
    name: 'resize_disarms',
    block: 'command engine',
    description: 'a completion queue that is resized is armed no longer',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: RESIZED_QUEUES,
  },
] as const satisfies readonly FaultRow[];
