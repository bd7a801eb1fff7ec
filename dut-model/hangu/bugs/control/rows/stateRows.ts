/** How the bugs of stateFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, SEND_ERRORS } from '../../fault.ts';

const SEQUENCE = '+UVM_TESTNAME=test_sequence';

const STOP_MIDWAY: readonly string[] = [SEQUENCE, '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=11'];

export const STATE_ROWS = [
  {
    name: 'sqe_not_flushed',
    block: 'requester',
    description: 'requests that are posted in SQE are not flushed',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING', 'SCB_STUCK'],
    needs: [...SEND_ERRORS, '+RC_QP_NUM=0'],
  },
  {
    name: 'fence_ignored_by_reads',
    block: 'requester',
    description: 'a fenced READ does not wait for the READs before it',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['SCB_FENCE'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=linked_fences'],
  },
  {
    name: 'datagram_cut',
    block: 'send completion',
    description: 'a datagram that is longer than the path MTU is sent in several packets',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_OPCODE', 'SCB_STATUS'],
    needs: [...SEND_ERRORS.filter((arg) => arg !== '+UC_QP_NUM=1'), '+RC_QP_NUM=0', '+UC_QP_NUM=0'],
  },
  {
    name: 'error_of_oldest',
    block: 'send completion',
    description: 'a request that cannot be carried out takes the oldest one with it',
    decides: 'completion LOC_PROT_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=wrong_keys', '+RC_QP_NUM=29', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
  },
  {
    name: 'drained_not_flushed',
    block: 'send completion',
    description: 'what was posted in SQD is not flushed when its queue pair goes to ERR',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=drained_peers', '+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
  },
  {
    name: 'read_resources_kept',
    block: 'responses',
    description: 'READs are answered although software has taken the resources for that away',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: STOP_MIDWAY,
  },
  {
    name: 'flush_in_send_cq',
    block: 'completion',
    description: 'flushed receives complete in the completion queue of send requests',
    decides: 'completion WR_FLUSH_ERR of the receive queue',
    caughtBy: ['HCA_CQE_WRONG_CQ', 'SCB_CQ'],
    needs: [...STOP_MIDWAY, '+SPLIT_CQ=1'],
  },
] as const satisfies readonly FaultRow[];
