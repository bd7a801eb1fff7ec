/** How the bugs of requesterFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, SEND_ERRORS } from '../../fault.ts';

const LATE_RECEIVES = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+RNR_RETRY=7'];

export const REQUESTER_ROWS = [
  {
    name: 'opcode_last',
    block: 'requester',
    description: 'the last packet of a longer message is sent as a middle one',
    caughtBy: ['WIRE_PAYLOAD', 'SCB_STUCK', 'SCB_STATUS'],
    needs: ['+DATA_CNT=9000', '+DATA_UNIT=B', '+MTU=1024'],
  },
  {
    name: 'ack_never_requested',
    block: 'requester',
    description: 'no packet asks for an acknowledgement',
    caughtBy: ['SCB_STUCK', 'SCB_STATUS', 'WIRE_ACK_REQUEST'],
    needs: ['+READ_WQE_NUM=0'],
  },
  {
    name: 'ack_requested_seldom',
    block: 'requester',
    description: 'only every second message asks for an acknowledgement',
    caughtBy: ['WIRE_ACK_REQUEST'],
  },
  {
    name: 'ack_requested_late',
    block: 'requester',
    description: 'inside a long message only one packet in 96 asks for an acknowledgement',
    caughtBy: ['WIRE_ACK_REQUEST'],
    needs: ['+DATA_CNT=30000', '+DATA_UNIT=B', '+MTU=256'],
  },
  {
    name: 'turn_endless',
    block: 'requester',
    description: 'a queue pair is served until it has nothing left, and the others wait',
    caughtBy: ['SCB_STARVED'],
    needs: [
      ...['+RC_QP_NUM=0', '+UC_QP_NUM=2', '+UD_QP_NUM=0', '+PROC_NUM=1', '+ONE_SIDE_LAUNCH', '+NIC_SEND_JOBS=1'],
      ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+READ_WQE_NUM=0', '+WRITE_WQE_NUM=1'],
      ...['+DB_NUM=1', '+SG_NUM=1', '+DATA_CNT=2500000', '+DATA_UNIT=B', '+MTU=256'],
    ],
  },
  {
    name: 'timer_hasty',
    block: 'requester',
    description: 'the ACK time-out is a hundred times too short',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: ['+ACK_TIMEOUT=5'],
  },
  {
    name: 'read_limit_ignored',
    block: 'requester',
    description: 'more READs are outstanding than the queue pair may have',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: ['+MAX_RD_ATOMIC=2'],
  },
  {
    name: 'drain_ignored',
    block: 'requester',
    description: 'requests are started in SQD',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=4'],
  },
  {
    name: 'drained_early',
    block: 'requester',
    description: 'a send queue is said to be drained before its requests are answered',
    caughtBy: ['WIRE_DRAINED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=10'],
  },
  {
    name: 'drained_not_said',
    block: 'requester',
    description: 'of a send queue in which nothing is outstanding it is not said that it is drained',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=drained_peers'],
  },
  {
    name: 'drained_unasked',
    block: 'requester',
    description: 'now and then a send queue is said to be drained although software has not asked',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
  },
  {
    name: 'fence_ignored',
    block: 'requester',
    description: 'fenced requests do not wait for the READs before them',
    caughtBy: ['SCB_FENCE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=send_flags'],
  },
  {
    name: 'completed_unacknowledged',
    block: 'requester',
    description: 'an acknowledgement completes everything that was sent, and not only what it covers',
    caughtBy: ['SCB_EARLY'],
  },
  {
    name: 'rnr_not_waited',
    block: 'requester',
    description: 'what the receiver is not ready for is sent again at once',
    caughtBy: ['WIRE_RNR'],
    needs: LATE_RECEIVES,
  },
  {
    name: 'sqe_skips_psn',
    block: 'requester',
    description:
      'after an error of its own an unreliable queue pair goes on behind the number of a packet it never sent',
    caughtBy: ['WIRE_PSN'],
    needs: SEND_ERRORS,
  },
  {
    name: 'sqe_stays',
    block: 'requester',
    description: 'an unreliable queue pair completes nothing that is posted after it was taken out of SQE',
    caughtBy: ['SCB_STUCK'],
    needs: SEND_ERRORS,
  },
  {
    name: 'flush_said_done',
    block: 'requester',
    description: 'requests behind one that failed complete with success instead of being flushed',
    caughtBy: ['SCB_STATUS'],
    needs: SEND_ERRORS,
  },
  {
    name: 'psn_plain_compare',
    block: 'requester',
    description: 'acknowledgements behind the wrap of the PSN are taken for old ones',
    caughtBy: ['SCB_STUCK', 'SCB_STATUS', 'WIRE_UNPROVOKED'],
    needs: ['+PSN=0xfffffe', '+READ_WQE_NUM=0', '+DATA_CNT=9000'],
  },
  {
    name: 'read_shifted',
    block: 'requester',
    description: 'the data of every sixth READ response are placed four bytes too far',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
  },
  {
    name: 'read_not_written',
    block: 'requester',
    description: 'the data of every fifth READ response are not written',
    caughtBy: ['SCB_DATA'],
  },
] as const satisfies readonly FaultRow[];
