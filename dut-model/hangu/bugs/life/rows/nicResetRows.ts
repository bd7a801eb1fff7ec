/** How the bugs of nicResetFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const NIC_RESET: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=nic_reset',
  '+SEQ_COUNT=3',
  '+ACK_TIMEOUT=5',
  ...['+RC_QP_NUM=4', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
];

export const NIC_RESET_ROWS = [
  {
    name: 'nic_reset_frame_kept',
    block: 'port',
    description: 'a reset does not empty the transmit FIFO: a frame leaves after it',
    decides: 'RC WRITE_FIRST, PSN #',
    caughtBy: ['SCB_RESET'],
    needs: NIC_RESET,
  },
  {
    name: 'nic_reset_write_kept',
    block: 'DMA engine',
    description: 'a reset does not empty the write buffer: host memory is written after it',
    decides: 'NIC writes # B of completion queue #, byte #',
    caughtBy: ['SCB_RESET'],
    needs: NIC_RESET,
  },
  {
    name: 'nic_reset_contexts_kept',
    block: 'all',
    description: 'a reset reaches the command register alone: queue pairs live on, and answer their peers',
    decides: 'RC WRITE_MIDDLE, PSN #',
    caughtBy: ['SCB_RESET'],
    needs: NIC_RESET,
  },
] as const satisfies readonly FaultRow[];
