/** How the bugs of windowFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const windows = (sequence: string, count = 1) =>
  [
    '+UVM_TESTNAME=test_sequence',
    `+UVM_TEST_SEQ=${sequence}`,
    '+RC_QP_NUM=2',
    '+UC_QP_NUM=0',
    '+UD_QP_NUM=0',
    '+SEQ_COUNT=4',
    '+NIC_APERTURE_MODE=1',
    `+NIC_WINDOWS=${count}`,
  ] as const;

const MISPLACED = ['SEQ_APERTURE', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_WIRE_DATA'] as const;

export const WINDOW_ROWS = [
  {
    name: 'window_bits_ored',
    description: 'the selected sub-window is ORed to the upper address bits of an access, which do not give way',
    caughtBy: MISPLACED,
    needs: windows('window_storm', 4),
  },
  {
    name: 'windows_share_select',
    description: 'all windows show the sub-window that the first one selects',
    caughtBy: MISPLACED,
    needs: windows('window_storm', 2),
  },
  {
    name: 'select_late',
    description: 'a select takes effect 2 us after it came: accesses behind it use the sub-window of before',
    caughtBy: MISPLACED,
    needs: windows('window_order'),
  },
  {
    name: 'select_early',
    description: 'a select takes effect for writes in front of it that have not reached their banks',
    caughtBy: MISPLACED,
    needs: windows('window_order'),
  },
  {
    name: 'select_of_reads',
    description: 'reads use the sub-window that was selected before the last select',
    caughtBy: MISPLACED,
    needs: windows('window_order'),
  },
  {
    name: 'nic_through_window',
    description: 'what the NIC itself writes to the card passes the window logic: it lands in the selected sub-window',
    caughtBy: MISPLACED,
    needs: windows('window_storm'),
  },
  {
    name: 'select_wraps',
    description: 'reserved bits of a select are ignored: 64 selects sub-window 0, and no error bit says so',
    caughtBy: ['SEQ_APERTURE'],
    needs: windows('aperture_misuse'),
  },
  {
    name: 'select_short',
    description: 'a select has five bits: the upper half of the sub-windows cannot be reached',
    caughtBy: MISPLACED,
    needs: windows('aperture_map'),
  },
  {
    name: 'uncalibrated_written',
    description: 'the aperture writes to banks that are not calibrated',
    caughtBy: ['SEQ_APERTURE'],
    needs: [...windows('aperture_misuse'), '+NIC_CALIBRATION_NS=20000'],
  },
  {
    name: 'beyond_wraps',
    description: 'what lies beyond the windows of the aperture is taken for the first one, and no error bit says so',
    caughtBy: ['SEQ_APERTURE'],
    needs: windows('aperture_map', 3),
  },
  {
    name: 'window_unlocked',
    description: 'the driver takes windows without a lock',
    caughtBy: MISPLACED,
    needs: windows('window_storm'),
  },
  {
    name: 'window_unflushed',
    description: 'the driver lets a window go while its writes are posted: the next select may overtake them',
    caughtBy: MISPLACED,
    needs: windows('window_storm'),
  },
  {
    name: 'window_not_split',
    description: 'the driver does not split a copy at the end of a sub-window',
    caughtBy: MISPLACED,
    needs: [...windows('window_ends'), '+PAGE_SCATTER=0'],
  },
  {
    name: 'window_split_late',
    description: 'the driver splits a copy one access behind the end of a sub-window',
    caughtBy: MISPLACED,
    needs: [...windows('window_ends'), '+PAGE_SCATTER=0'],
  },
  {
    name: 'window_select_skipped',
    description: 'the driver does not select anew when the sub-window differs in its lowest bit only',
    caughtBy: MISPLACED,
    needs: windows('window_storm'),
  },
] as const satisfies readonly CardFaultRow[];
