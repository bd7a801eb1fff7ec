/** How the bugs of registerFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with accesses that must do nothing. On RC a request that is carried out twice may find no receive for ever. */
const RAW_ACCESSES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=raw_accesses',
  ...['+RC_QP_NUM=0', '+UC_QP_NUM=2', '+UD_QP_NUM=2'],
];

export const REGISTER_ROWS = [
  {
    name: 'doorbell_number_cut',
    block: 'send queue',
    description: 'a doorbell of a number above 255 is taken for that of a lower one',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['SCB_DUPLICATE', 'SCB_SURPLUS', 'SCB_WR_ID'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'doorbell_kept',
    block: 'send queue',
    description: 'a doorbell of a queue pair in RESET is carried out when the queue pair works again',
    decides: 'RTR2RTS of QP # begins',
    caughtBy: ['SCB_DUPLICATE', 'SCB_SURPLUS', 'SCB_WR_ID'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'doorbell_place',
    block: 'registers',
    description: 'a page has a send doorbell every 256 bytes',
    decides: 'RDMA_WRITE (wrId #, WQE #) posted',
    caughtBy: ['SCB_DUPLICATE', 'SCB_SURPLUS', 'SCB_WR_ID'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'init_done_written',
    block: 'registers',
    description: 'INIT_DONE can be written',
    decides: 'software reads # B of BAR #',
    caughtBy: ['SEQ_REGISTER'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'token_hidden',
    block: 'registers',
    description: 'the token of a command reads back as 0',
    decides: 'software reads # B of BAR #',
    caughtBy: ['SEQ_REGISTER'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'vectors_open',
    block: 'registers',
    description: 'MSI-X vectors that software has not set up are not masked',
    decides: 'software reads # B of BAR #',
    caughtBy: ['SEQ_REGISTER'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'unused_register_silent',
    block: 'registers',
    description: 'a read of an offset without a register is never answered',
    caughtBy: ['PCIE_CPL_TIMEOUT'],
    needs: RAW_ACCESSES,
  },
  {
    name: 'nic_silent',
    block: 'registers',
    description: 'no read of a register is ever answered',
    decides: 'software writes # B of BAR #',
    caughtBy: ['PCIE_CPL_TIMEOUT'],
  },
  {
    name: 'doorbells_overflow',
    block: 'send queue',
    description: 'more than 32 doorbells of a queue pair that waits for its WQEs are lost',
    caughtBy: ['SCB_STUCK'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=many_doorbells',
      ...['+RC_QP_NUM=2', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+MAX_SEND_WR=128', '+MAX_RECV_WR=127'],
    ],
  },
  {
    name: 'link_wraps',
    block: 'send queue',
    description: 'a WQE that is linked 64 KiB or more behind the start of its ring is looked for 64 KiB before it',
    caughtBy: ['SCB_DATA', 'SCB_ORDER', 'SCB_WR_ID'],
    needs: [
      ...['+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+SG_NUM=16', '+DB_NUM=10', '+SEND_WQE_NUM=30'],
      ...['+RECV_WQE_NUM=30', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=0', '+DATA_CNT=64'],
      ...['+MAX_SEND_WR=512', '+MAX_RECV_WR=511'],
    ],
  },
] as const satisfies readonly FaultRow[];
