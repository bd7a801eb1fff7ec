/** How the bugs of bankFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const CARD = ['+MEM_DOMAIN=card'] as const;
const INTERLEAVED = [...CARD, '+NIC_INTERLEAVE_LOG=10'] as const;
const MISPLACED = ['SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_WIRE_DATA'] as const;

export const BANK_ROWS = [
  {
    name: 'interleave_offset_whole',
    description: 'an interleaved address loses bit 6 within its unit: two addresses share a cell, and others are holes',
    caughtBy: MISPLACED,
    needs: INTERLEAVED,
  },
  {
    name: 'interleave_three_banks',
    description: 'interleaved units take turns at three banks of four, at the offsets that four have',
    caughtBy: MISPLACED,
    needs: INTERLEAVED,
  },
  {
    name: 'interleave_unit_of_all',
    description: 'the offset in a bank counts the units of all banks, and wraps',
    caughtBy: [...MISPLACED, 'DDR_RANGE'],
    needs: INTERLEAVED,
  },
  {
    name: 'odd_banks_unused',
    description: 'the lowest bit of the bank is lost: bank 1 and 3 alias bank 0 and 2',
    caughtBy: MISPLACED,
    needs: CARD,
  },
  {
    name: 'burst_across_units',
    description: 'a burst that crosses the end of an interleave unit goes to one bank as a whole',
    caughtBy: MISPLACED,
    needs: [...CARD, '+NIC_INTERLEAVE_LOG=8'],
  },
  {
    name: 'bank_offset_short',
    description: 'the offset in a bank has a bit too few: its upper half aliases the lower one',
    caughtBy: MISPLACED,
    needs: CARD,
  },
  {
    name: 'ddr_burst_lost',
    description: 'every 23rd burst that writes to a bank is lost, and said to be done',
    caughtBy: ['SCB_DATA', 'SCB_WIRE_DATA'],
    needs: CARD,
  },
  {
    name: 'ddr_whole_lines',
    description: 'a write of some bytes writes all 64 of its line: those around are read before and written back',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_GUARD'],
    needs: CARD,
  },
  {
    name: 'bank_counters_swapped',
    description: 'the counters of banks 1 and 2 are swapped',
    caughtBy: ['SEQ_APERTURE'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=bank_counters',
      '+RC_QP_NUM=1',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
      '+SEQ_COUNT=4',
    ],
  },
  {
    name: 'bank_quarter_rate',
    description: 'a bank has a quarter of its rate, as if the four were served in turns',
    caughtBy: ['PERF_LIMIT'],
    needs: [
      '+UVM_TESTNAME=test_perf',
      '+PERF=write_bw',
      '+PERF_BYTES=16384',
      '+PERF_TX_DEPTH=16',
      '+PERF_EXPECTED_GBPS=123',
      '+SEQ_COUNT=40',
      '+RC_QP_NUM=4',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
      '+PROC_NUM=1',
      '+MTU=4096',
      '+LINK_GBPS=100',
      '+MEM_DOMAIN=card',
      '+PAGE_SCATTER=0',
      '+NIC_SUB_WINDOW_LOG=24',
    ],
  },
  {
    name: 'interleave_changed_midway',
    description: 'the card takes banks to be interleaved once 64 KiB were written: what was there lies elsewhere',
    caughtBy: [...MISPLACED, 'SEQ_APERTURE'],
    needs: CARD,
  },
] as const satisfies readonly CardFaultRow[];
