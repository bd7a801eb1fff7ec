/** How the bugs of patienceFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const SEQUENCE = '+UVM_TESTNAME=test_sequence';

const RC_ONLY: readonly string[] = ['+RC_QP_NUM=2', '+UC_QP_NUM=0', '+UD_QP_NUM=0'];

const LATE_RECEIVES: readonly string[] = [SEQUENCE, '+UVM_TEST_SEQ=late_receives', ...RC_ONLY];

export const PATIENCE_ROWS = [
  {
    name: 'rnr_retry_zero',
    block: 'send completion',
    description: 'with no retries after RNR NAKs it tries once more all the same',
    decides: 'RC SEND_MIDDLE, PSN #',
    caughtBy: ['WIRE_RNR'],
    needs: [...LATE_RECEIVES, '+RNR_RETRY=0'],
  },
  {
    name: 'ack_timer_never',
    block: 'requester',
    description: 'a time-out with code 0, which means never, is taken for one of 4 ms',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=endless_patience', ...RC_ONLY],
  },
  {
    name: 'ack_timer_after_rnr',
    block: 'requester',
    description: 'a message that is sent again after an RNR NAK has no time-out',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_STUCK'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=late_deaths', ...RC_ONLY],
  },
  {
    name: 'rnr_timer_long',
    block: 'send completion',
    description: 'RNR times with a code above 15 are taken for those of the code before',
    decides: 'RC SEND_FIRST, PSN #',
    caughtBy: ['WIRE_RNR'],
    needs: [...LATE_RECEIVES, '+MIN_RNR_TIMER=20', '+SEQ_COUNT=2'],
  },
  {
    name: 'read_tries_uncounted',
    block: 'send completion',
    description: 'a READ is asked for again for ever when nobody answers',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=dead_peers', ...RC_ONLY],
  },
  {
    name: 'ack_timer_in_rnr_wait',
    block: 'send completion',
    description: 'the time-out for an answer goes on during the wait for a receiver that is not ready',
    decides: 'completion RETRY_EXC_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: [...LATE_RECEIVES, '+ACK_TIMEOUT=4', '+MIN_RNR_TIMER=10', '+RETRY_CNT=0'],
  },
  {
    name: 'ack_timer_long',
    block: 'requester',
    description: 'time-outs with a code above 19 are taken for those of the code without its highest bit',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=ping_pong', ...RC_ONLY, '+ACK_TIMEOUT=20', '+LINK_LATENCY_NS=50000'],
  },
  {
    name: 'rnr_exceeded_half',
    block: 'requester',
    description: 'a queue pair that gives up on a receiver that is never ready stays in RTS, and its receives stay',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: [...LATE_RECEIVES, '+RNR_RETRY=1', '+MIN_RNR_TIMER=2'],
  },
  {
    name: 'rnr_retry_first',
    block: 'requester',
    description: 'how often a refused message is sent again is taken from when the queue pair was refused first',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_RNR'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=changed_patience', ...RC_ONLY],
  },
] as const satisfies readonly FaultRow[];
