/** How the bugs of cqOverflowFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const CQ_OVERFLOWS: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=cq_overflows'],
  ...['+RC_QP_NUM=4', '+UC_QP_NUM=2', '+UD_QP_NUM=2', '+SEQ_COUNT=3'],
];
const INDEX_ROUND: readonly string[] = [...CQ_OVERFLOWS, '+FIRST_CQ_INDEX=262141'];
const block = 'completion';

export const CQ_OVERFLOW_ROWS = [
  {
    name: 'cq_overflow_unseen',
    block,
    description: 'a full completion queue is written on',
    decides: 'completion RDMA_WRITE of the send queue',
    caughtBy: ['SCB_CQ_OVERFLOW', 'HCA_CQ_OVERRUN'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_full_early',
    block,
    description: 'a completion queue counts as full with one entry left',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_full_late',
    block,
    description: 'a completion queue takes one entry more than it holds',
    decides: 'completion RDMA_WRITE of the send queue',
    caughtBy: ['SCB_CQ_OVERFLOW', 'HCA_CQ_OVERRUN'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_overflow_untold',
    block,
    description: 'no CQ_ERR event comes of a completion queue that overflows',
    decides: 'asynchronous event QP_FATAL for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SEQ_OVERFLOW', 'SCB_STUCK', 'SCB_MISSING'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_overflow_told_twice',
    block,
    description: 'each completion that finds no room has a CQ_ERR event',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_overflow_other_number',
    block: 'event unit',
    description: 'the CQ_ERR event of a completion queue that overflows names the next one',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_overflow_goes_on',
    block,
    description: 'a queue pair goes on whose completion was lost',
    decides: 'completion SEND of the send queue',
    caughtBy: ['SEQ_OVERFLOW', 'SCB_ASYNC_EVENT'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_overflow_stops_other',
    block,
    description: 'the queue pair of the next number stops in place of the one whose completion was lost',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SEQ_OVERFLOW', 'SCB_ASYNC_EVENT', 'SCB_EVENT_GROUNDLESS', 'SCB_STATUS'],
    needs: CQ_OVERFLOWS,
  },
  {
    name: 'cq_index_of_arming',
    block,
    description: 'what software has taken is heard only as it arms a completion queue',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=ping_pong', '+SEQ_COUNT=60', '+RC_QP_NUM=2'],
  },
  {
    name: 'cq_index_short',
    block,
    description: 'what software has taken is kept in six bits',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=ping_pong', '+SEQ_COUNT=80', '+RC_QP_NUM=2'],
  },
  {
    name: 'cq_index_of_neighbour',
    block,
    description: 'what software has taken of one completion queue counts for the one beside it',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_CQ_OVERFLOW'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=ping_pong', '+SEQ_COUNT=60', '+RC_QP_NUM=2'],
  },
  {
    name: 'cq_index_not_round',
    block,
    description: 'a completion queue is taken for full once the index of software has wrapped',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: INDEX_ROUND,
  },
  {
    name: 'cq_index_round_lost',
    block,
    description: 'a completion queue whose index wraps is not found to be full until that of software has wrapped too',
    decides: 'completion RDMA_WRITE of the send queue',
    caughtBy: ['SCB_CQ_OVERFLOW', 'HCA_CQ_OVERRUN'],
    needs: INDEX_ROUND,
  },
  {
    name: 'cq_index_stays',
    block,
    description: 'what software has taken is not heard once its index has wrapped',
    decides: 'asynchronous event CQ_ERR for number #',
    caughtBy: ['SCB_EVENT_GROUNDLESS', 'SCB_STUCK'],
    needs: [
      ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=ping_pong', '+FIRST_CQ_INDEX=262141', '+CQ_ENTRIES=8'],
      ...['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SEQ_COUNT=30', '+LINK_LATENCY_NS=20000'],
    ],
  },
  {
    name: 'cq_arm_short',
    block,
    description: 'arming a completion queue takes 17 bits of the index of software',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: [
      ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=solicited_events', '+FIRST_CQ_INDEX=262120'],
      ...['+RC_QP_NUM=2', '+UC_QP_NUM=2', '+UD_QP_NUM=2'],
    ],
  },
] as const satisfies readonly FaultRow[];
