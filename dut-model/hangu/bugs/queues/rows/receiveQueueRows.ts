/** How the bugs of receiveQueueFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, LONG_MESSAGES } from '../../fault.ts';

export const RECEIVE_QUEUE_ROWS = [
  {
    name: 'recv_overlooked',
    block: 'receive queue',
    description: 'every fifth message of a reliable connection is refused although a receive is posted',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, RNR NAK, wait 10us',
    caughtBy: ['SCB_REFUSED'],
  },
  {
    name: 'lost_consumes',
    block: 'receive queue',
    description: 'a message of an unreliable connection that is lost uses its receive up',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_ORDER'],
    needs: [...LONG_MESSAGES, '+UC_QP_NUM=2'],
  },
  {
    name: 'recv_slot_skipped',
    block: 'receive queue',
    description: 'every third receive request is skipped',
    decides: '# B are in data',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_STUCK'],
  },
  {
    name: 'recv_slot_reused',
    block: 'receive queue',
    description: 'every fifth receive request is used twice',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_DUPLICATE', 'SCB_STUCK'],
  },
  {
    name: 'empty_write_unreceived',
    block: 'receive queue',
    description: 'a WRITE of no bytes with immediate completes although no receive is posted for it',
    decides: 'completion RECV_RDMA_WITH_IMM of the receive queue',
    caughtBy: ['SCB_DUPLICATE'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=late_receives',
      '+RC_QP_NUM=1',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ],
  },
] as const satisfies readonly FaultRow[];
