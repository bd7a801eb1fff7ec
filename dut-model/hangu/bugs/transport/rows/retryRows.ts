/** How the bugs of retryFaults.ts show: what they need, and which checks must see them. */
import { type FaultRow, SLOW_LINK, SLOW_READS } from '../../fault.ts';

/** READs and nothing else. */
const OWN_READS = SLOW_READS.filter((arg) => arg.includes('_NUM='));

const DEAD_PEERS = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=dead_peers', '+RC_QP_NUM=8'];

const LATE_RECEIVES = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives'];

export const RETRY_ROWS = [
  {
    name: 'ack_timer_slow',
    block: 'requester',
    description: 'the time-out expires after fifty times its value',
    decides: 'RC WRITE_FIRST, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: DEAD_PEERS,
  },
  {
    name: 'ack_timer_stale',
    block: 'requester',
    description: 'a shorter time-out that software has set waits for the end of the longer one before it',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['WIRE_RETRY', 'SCB_STUCK'],
    needs: DEAD_PEERS,
  },
  {
    name: 'rnr_wait_cut',
    block: 'requester',
    description: 'a doorbell ends the wait for a receiver that is not ready',
    decides: 'RC SEND_FIRST, PSN #',
    caughtBy: ['WIRE_RNR'],
    needs: LATE_RECEIVES,
  },
  {
    name: 'retry_other_payload',
    block: 'requester',
    description: 'the last byte of a packet that is sent again is another',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: SLOW_LINK,
  },
  {
    name: 'retry_other_headers',
    block: 'requester',
    description: 'what is sent again has another R_Key and other immediate data',
    decides: 'RC SEND_ONLY_IMM, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: [...SLOW_LINK, '+READ_WQE_NUM=0'],
  },
  {
    name: 'retry_read_address',
    block: 'requester',
    description: 'the rest of a READ is asked for with the address of its start',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_RETRY'],
    needs: SLOW_READS,
  },
  {
    name: 'retry_message_start',
    block: 'requester',
    description: 'a refused message is sent again from its first packet, and not from the one that was refused',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: LATE_RECEIVES,
  },
  {
    name: 'timeout_skips_oldest',
    block: 'requester',
    description: 'after a time-out only the last packet of the oldest message is sent again',
    caughtBy: ['WIRE_RETRY'],
    needs: [...SLOW_LINK, '+MTU=256'],
  },
  {
    name: 'timeout_message_start',
    block: 'requester',
    description: 'after a time-out a READ is asked for from its start, and not from the first answer that is missing',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: [
      ...OWN_READS,
      ...['+ACK_TIMEOUT=2', '+PCIE_MEMORY_NS=20000', '+MTU=256', '+DATA_CNT=6000', '+SG_NUM=1', '+DB_NUM=1'],
      '+ONE_SIDE_LAUNCH',
    ],
  },
  {
    name: 'gives_up_early',
    block: 'requester',
    description: 'every retry for want of an answer counts twice',
    decides: 'completion RETRY_EXC_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: ['+LINK_LATENCY_NS=100000', '+ACK_TIMEOUT=2', '+RETRY_CNT=3'],
  },
  {
    name: 'rnr_never_gives_up',
    block: 'requester',
    description: 'what the receiver is not ready for is sent again more often than it may be',
    decides: 'RC SEND_FIRST, PSN #',
    caughtBy: ['WIRE_RNR'],
    needs: [...LATE_RECEIVES, '+RNR_RETRY=1', '+SIM_TIMEOUT=10ms'],
  },
  {
    name: 'read_rest_at_start',
    block: 'requester',
    description: 'what is missing of a READ is placed from the start of its list when it is asked for again',
    decides: '# B are in data',
    caughtBy: ['SCB_DATA'],
    needs: [...OWN_READS, '+ACK_TIMEOUT=2', '+PCIE_MEMORY_NS=20000', '+MTU=256', '+DATA_CNT=6000'],
  },
  {
    name: 'resent_entry_skipped',
    block: 'requester',
    description: 'a packet that is sent again and begins with an entry of its list is taken from the entry behind that',
    decides: 'RDMA_WRITE_WITH_IMM (wrId #, WQE #) posted',
    caughtBy: ['SCB_STATUS'],
    needs: [...LATE_RECEIVES, '+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SG_NUM=4'],
  },
] as const satisfies readonly FaultRow[];
