/** How the bugs of completionFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const COMPLETION_ROWS = [
  {
    name: 'cqe_lost',
    block: 'completion',
    description: 'every ninth completion is not written',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SCB_ORDER', 'SCB_WR_ID'],
  },
  {
    name: 'cqe_repeated',
    block: 'completion',
    description: 'every seventh completion is written twice',
    decides: 'completion SEND of the send queue',
    caughtBy: ['SCB_DUPLICATE', 'SCB_SURPLUS'],
  },
  {
    name: 'cqe_other_queue',
    block: 'completion',
    description: 'every ninth completion is written to the completion queue beside its own',
    decides: 'completion SEND of the send queue',
    caughtBy: ['HCA_CQE_WRONG_CQ'],
  },
  {
    name: 'cqe_slot',
    block: 'completion',
    description: 'every sixth completion lands one slot too far',
    decides: 'NIC writes # B of completion queue #, byte #',
    caughtBy: ['SCB_CQE_ADDR'],
  },
  {
    name: 'cqe_swapped',
    block: 'completion',
    description: 'two completions of a queue change places',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STUCK', 'SCB_DATA'],
  },
  {
    name: 'uc_completion_missing',
    block: 'completion',
    description: 'unreliable sends never complete',
    decides: 'SEND_WITH_IMM (wrId #, WQE #) posted',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
  },
  {
    name: 'flush_unfetched_lost',
    block: 'completion',
    description: 'requests that are fetched after the failure of their queue pair are never flushed',
    caughtBy: ['SCB_MISSING'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=7', '+MAX_SEND_WR=30'],
  },
  {
    name: 'arm_long_index',
    block: 'completion',
    description:
      'a completion queue that is armed behind its 65536th completion sends no event for what has come before',
    caughtBy: ['SEQ_EVENT_LOST'],
    needs: [
      ...['+RC_QP_NUM=256', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+PROC_NUM=1', '+SHARED_CQ=0', '+ONE_SIDE_LAUNCH=1'],
      ...['+DB_NUM=10', '+SEND_WQE_NUM=30', '+RECV_WQE_NUM=30', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=0'],
      ...['+SG_NUM=1', '+DATA_CNT=8', '+CQ_EVENT=1'],
    ],
  },
] as const satisfies readonly FaultRow[];
