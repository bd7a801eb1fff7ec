/** How the bugs of regionFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const LARGE_REGIONS = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=large_regions', '+RC_QP_NUM=2', '+UD_QP_NUM=0'];

export const REGION_ROWS = [
  {
    name: 'zero_based_from_page',
    block: 'command engine',
    description: 'what a zero-based region opens is counted from the start of its first page',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=zero_based', '+UD_QP_NUM=0'],
  },
  {
    name: 'region_page_wraps',
    block: 'translation',
    description: 'what lies 4 GiB or more behind the start of a region is looked up 4 GiB nearer',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA'],
    needs: LARGE_REGIONS,
  },
  {
    name: 'region_end_aliased',
    block: 'translation',
    description: 'what lies behind the end of a region opens what lies 4 GiB in front of it',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_STATUS'],
    needs: LARGE_REGIONS,
  },
  {
    name: 'region_kept',
    block: 'command engine',
    description:
      'a region that is said to be closed stays open, also for a message sent later to a receive posted before',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=deregistered_midway', '+RC_QP_NUM=4'],
  },
] as const satisfies readonly FaultRow[];
