/** How the bugs of cqeFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const CQE_ROWS = [
  {
    name: 'cqe_wqe_offset',
    block: 'completion',
    description: 'every fourth CQE names the WQE before its own',
    caughtBy: ['SCB_WR_ID', 'SCB_ORDER', 'SCB_DUPLICATE'],
  },
  {
    name: 'cqe_byte_count',
    block: 'completion',
    description: 'every fifth CQE reports one byte too few',
    caughtBy: ['SCB_BYTE_LEN'],
  },
  {
    name: 'cqe_immediate_zero',
    block: 'completion',
    description: 'the immediate never reaches the CQE',
    caughtBy: ['SCB_IMM'],
    needs: ['+IMM=100'],
  },
  {
    name: 'cqe_immediate_shifted',
    block: 'completion',
    description: 'the immediate arrives shifted right by one bit',
    caughtBy: ['SCB_IMM'],
    needs: ['+IMM=100'],
  },
  {
    name: 'cqe_remote_qpn',
    block: 'completion',
    description: 'every sixth CQE names the wrong remote queue pair',
    caughtBy: ['SCB_REMOTE_QPN'],
  },
  {
    name: 'cqe_my_qpn',
    block: 'completion',
    description: 'every eighth CQE names another queue pair of the host',
    caughtBy: ['SCB_QPN', 'SCB_CQ', 'HCA_CQE_UNKNOWN_QP'],
  },
  {
    name: 'cqe_false_error',
    block: 'completion',
    description: 'every tenth CQE reports a remote access error',
    caughtBy: ['SCB_STATUS'],
  },
  {
    name: 'cqe_direction',
    block: 'completion',
    description: 'every seventh receive CQE is marked as a send completion',
    caughtBy: ['SCB_SURPLUS', 'SCB_ORDER', 'SCB_OPCODE', 'SCB_WR_ID'],
  },
  {
    name: 'cqe_send_length',
    block: 'completion',
    description: 'completions of SENDs and WRITEs have length 0',
    caughtBy: ['SCB_BYTE_LEN'],
  },
  {
    name: 'cqe_send_remote',
    block: 'completion',
    description: 'send completions of reliable connections name no remote queue pair',
    caughtBy: ['SCB_REMOTE_QPN'],
  },
  {
    name: 'cqe_stale_immediate',
    block: 'completion',
    description: 'completions of messages without immediate data have what was there before',
    caughtBy: ['HCA_CQE_RESERVED'],
  },
  {
    name: 'cqe_owner',
    block: 'completion',
    description: 'every sixth CQE is not passed to software',
    caughtBy: ['HCA_CQE_OWNER'],
  },
  {
    name: 'cqe_reserved',
    block: 'completion',
    description: 'every sixth CQE has a reserved field set',
    caughtBy: ['HCA_CQE_RESERVED'],
  },
  {
    name: 'cqe_opcode',
    block: 'completion',
    description: 'every sixth CQE has an opcode that does not exist',
    caughtBy: ['HCA_CQE_FIELD'],
  },
  {
    name: 'cqe_grh_flag',
    block: 'completion',
    description: 'receive completions of connections say that there is a GRH',
    caughtBy: ['SCB_FLAGS'],
  },
] as const satisfies readonly FaultRow[];
