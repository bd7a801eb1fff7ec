/** How the bugs of initFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const INIT_STATES: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=init_states'];

export const INIT_ROWS = [
  {
    name: 'init_change_ignored',
    block: 'command engine',
    description: 'a change of a queue pair in INIT is not made',
    caughtBy: ['SCB_QUERY_QP'],
    needs: INIT_STATES,
  },
  {
    name: 'init_receives_kept',
    block: 'command engine',
    description: 'the receives of a queue pair that goes to the error state from INIT or RTR are not flushed',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: INIT_STATES,
  },
] as const satisfies readonly FaultRow[];
