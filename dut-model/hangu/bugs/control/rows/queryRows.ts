/** How the bugs of queryFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const QUERY_STATES = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=query_states'];

const QUERIED_QUEUES: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=queried_queues'],
  ...['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SEQ_COUNT=1'],
];

const QUERIED_REGIONS: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=queried_regions'],
  ...['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SEQ_COUNT=1'],
];

export const QUERY_ROWS = [
  {
    name: 'query_qp_scrambled',
    block: 'command engine',
    description: 'QUERY_QP returns the context in reversed order',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['HCA_QUERY_QP'],
  },
  {
    name: 'query_qp_state',
    block: 'command engine',
    description: 'QUERY_QP says RTS of queue pairs in ERR',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['SCB_QUERY_QP'],
    needs: QUERY_STATES,
  },
  {
    name: 'query_qp_drained',
    block: 'command engine',
    description: 'QUERY_QP says RTS of queue pairs in SQD',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['SCB_QUERY_QP'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=drained_peers'],
  },
  {
    name: 'query_qp_psn',
    block: 'command engine',
    description: 'QUERY_QP says 0 for the next PSN',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['SCB_QUERY_QP'],
    needs: [...QUERY_STATES, '+PSN=0'],
  },
  {
    name: 'query_qp_expected_psn',
    block: 'command engine',
    description: 'QUERY_QP says that the PSN behind the right one is expected',
    decides: 'QUERY_QP of QP # begins',
    caughtBy: ['SCB_QUERY_QP'],
    needs: QUERY_STATES,
  },
  {
    name: 'query_cq_first_size',
    block: 'command engine',
    description: 'QUERY_CQ says the size that a completion queue had when it was asked for first',
    decides: 'QUERY_CQ of the NIC begins',
    caughtBy: ['SCB_QUERY_CQ'],
    needs: QUERIED_QUEUES,
  },
  {
    name: 'query_cq_always_ok',
    block: 'command engine',
    description: 'QUERY_CQ says of a completion queue that has overflowed that it works',
    decides: 'QUERY_CQ of the NIC',
    caughtBy: ['SCB_QUERY_CQ'],
    needs: QUERIED_QUEUES,
  },
  {
    name: 'query_cq_unwritten',
    block: 'command engine',
    description: 'QUERY_CQ says that no completion was written',
    decides: 'QUERY_CQ of the NIC',
    caughtBy: ['SCB_QUERY_CQ'],
    needs: QUERIED_QUEUES,
  },
  {
    name: 'query_mpt_rights',
    block: 'command engine',
    description: 'QUERY_MPT says of every region that it may be written',
    decides: 'QUERY_MPT of the NIC',
    caughtBy: ['SCB_QUERY_MR'],
    needs: QUERIED_REGIONS,
  },
  {
    name: 'query_mpt_domain',
    block: 'command engine',
    description: 'QUERY_MPT says the protection domain of the region that was asked for before',
    decides: 'QUERY_MPT of the NIC',
    caughtBy: ['SCB_QUERY_MR'],
    needs: QUERIED_REGIONS,
  },
  {
    name: 'query_mpt_start',
    block: 'command engine',
    description: 'QUERY_MPT says of every region that it begins with its page',
    decides: 'QUERY_MPT of the NIC',
    caughtBy: ['SCB_QUERY_MR'],
    needs: QUERIED_REGIONS,
  },
  {
    name: 'query_mpt_length',
    block: 'command engine',
    description: 'QUERY_MPT says 12 bits of the length of a region',
    decides: 'QUERY_MPT of the NIC',
    caughtBy: ['SCB_QUERY_MR'],
    needs: QUERIED_REGIONS,
  },
  {
    name: 'query_mpt_virtual',
    block: 'command engine',
    description: 'QUERY_MPT says of every region that its addresses are virtual',
    decides: 'QUERY_MPT of the NIC',
    caughtBy: ['SCB_QUERY_MR'],
    needs: QUERIED_REGIONS,
  },
] as const satisfies readonly FaultRow[];
