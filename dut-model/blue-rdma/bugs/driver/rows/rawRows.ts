/** How the bugs of rawFaults.ts show: what they need, and which checks must see them. */
import type { DriverFaultRow } from '../driverFault.ts';

export const RAW_DRIVER_ROWS = [
  {
    name: 'raw_slot_behind',
    part: 'raw frames',
    description: 'frames of software are copied from the slot behind that in which they are',
    breaks: ['B-030'],
    caughtBy: ['SCB_RAW_RECEIVED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=raw_frames', '+RC_QP_NUM=2', '+SEQ_COUNT=2'],
  },
] as const satisfies readonly DriverFaultRow[];
