/** How the bugs of inlineFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with inline data of all lengths, on every service. */
const INLINE_DATA: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=inline_data',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=2',
  '+UD_QP_NUM=2',
];

export const INLINE_ROWS = [
  {
    name: 'inline_count_sent',
    block: 'gather',
    description: 'inline data begin with the count in front of them',
    decides: 'RC WRITE_ONLY, PSN #',
    caughtBy: ['SCB_DATA'],
    needs: INLINE_DATA,
  },
  {
    name: 'inline_rest_lost',
    block: 'gather',
    description: 'of inline data the bytes behind the last whole dword are not sent',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_DATA'],
    needs: INLINE_DATA,
  },
] as const satisfies readonly FaultRow[];
