/** How the bugs of formerLifeFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const RESET_MIDWAY: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=reset_midway', '+UD_QP_NUM=0'];

const RC: readonly string[] = [...RESET_MIDWAY, '+RC_QP_NUM=4', '+UC_QP_NUM=0'];

export const FORMER_LIFE_ROWS = [
  {
    name: 'message_outlives_reset',
    block: 'command engine',
    description:
      'the message that is in progress when a queue pair is reset is still in progress when it is connected again',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS', 'WIRE_NAK', 'SCB_STUCK'],
    needs: RC,
  },
  {
    name: 'retries_outlive_reset',
    block: 'command engine',
    description: 'refusals that a queue pair counted before it was reset count when it is connected again',
    decides: 'completion RNR_RETRY_EXC_ERR of the send queue',
    caughtBy: ['SCB_STATUS', 'WIRE_RNR'],
    needs: RC,
  },
  {
    name: 'wait_outlives_reset',
    block: 'NIC',
    description: 'a queue pair that waits for a peer goes on when a wait ends that it began before it was reset',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_RNR'],
    needs: RC,
  },
  {
    name: 'reset_flushes',
    block: 'send completion',
    description: 'requests of a queue pair that is reset complete as flushed',
    decides: 'completion WR_FLUSH_ERR of the send queue',
    caughtBy: ['SCB_STATUS', 'SCB_WR_ID'],
    needs: RC,
  },
] as const satisfies readonly FaultRow[];
