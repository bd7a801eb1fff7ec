/** How the bugs of functionFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const MOVED = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=bars_moved',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+SEQ_COUNT=2',
  '+NIC_APERTURE_MODE=1',
] as const;
/** Nothing of the card can be reached where software means it. */
const UNREACHED = ['PCIE_CPL_STATUS', 'HCA_CMD_TIMEOUT', 'SEQ_APERTURE', 'SCB_STRAY_WRITE'] as const;

export const FUNCTION_ROWS = [
  {
    name: 'bar_size_half',
    description: 'a BAR says that it has half its size',
    caughtBy: UNREACHED,
    needs: MOVED,
  },
  {
    name: 'bar_upper_half_lost',
    description: 'the upper half of a 64-bit BAR is not decoded',
    caughtBy: UNREACHED,
    needs: MOVED,
  },
  {
    name: 'bar_first_place_kept',
    description: 'a BAR keeps the first place that it was given: relocation changes nothing',
    caughtBy: UNREACHED,
    needs: MOVED,
  },
  {
    name: 'bar_of_cpu',
    description: 'the card takes the address of the processor for that of the bus: it decodes as if both were the same',
    caughtBy: UNREACHED,
    needs: MOVED,
  },
  {
    name: 'window_base_ored',
    description:
      'bits of the bus address above a window are ORed to the selected sub-window: right only where the base has none',
    caughtBy: UNREACHED,
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=aperture_map',
      '+RC_QP_NUM=1',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
      '+NIC_APERTURE_MODE=1',
    ],
  },
  {
    name: 'select_survives_reset',
    description: 'a reset leaves the selects of the windows as they are',
    caughtBy: ['SEQ_APERTURE'],
    needs: MOVED,
  },
  {
    name: 'window_shadow_stale',
    description: 'the driver takes the windows to show after a reset what they showed before',
    caughtBy: ['SEQ_APERTURE', 'SCB_STRAY_WRITE'],
    needs: MOVED,
  },
  {
    name: 'inbound_ignored',
    description: 'the driver gives the card addresses of host memory as the processor has them, not as the bus has',
    caughtBy: ['PCIE_READ', 'SCB_STRAY_WRITE', 'HCA_CMD_TIMEOUT', 'HCA_CMD_STATUS'],
    needs: ['+NIC_INBOUND=5'],
  },
] as const satisfies readonly CardFaultRow[];
