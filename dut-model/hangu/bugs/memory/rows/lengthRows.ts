/** How the bugs of lengthFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const HUGE_LISTS: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=huge_lists', '+UD_QP_NUM=0'];

const RC: readonly string[] = [...HUGE_LISTS, '+RC_QP_NUM=1', '+UC_QP_NUM=0'];

const UC: readonly string[] = [...HUGE_LISTS, '+RC_QP_NUM=0', '+UC_QP_NUM=1'];

/** The lists of the sequence have more entries than those of a mixed run. */
const SIX_ENTRIES = '+SG_NUM=6';

export const LENGTH_ROWS = [
  {
    name: 'receive_room_31_bits',
    block: 'receive queue',
    description: 'what the entries of a receive have room for is added up in 31 bits',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS'],
    needs: [...RC, SIX_ENTRIES],
  },
  {
    name: 'receive_room_32_bits',
    block: 'receive queue',
    description: 'what the entries of a receive have room for is added up in 32 bits',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS'],
    needs: [...RC, SIX_ENTRIES],
  },
  {
    name: 'send_length_32_bits',
    block: 'send queue',
    description: 'the entries of a request are added up in 32 bits: one that is much too long is sent',
    caughtBy: ['SCB_STATUS', 'SCB_WIRE_REQUEST'],
    needs: [...UC, SIX_ENTRIES],
  },
  {
    name: 'region_length_low',
    block: 'command engine',
    description: 'a region of exactly 4 GiB opens nothing',
    caughtBy: ['SCB_STATUS'],
    needs: [...RC, SIX_ENTRIES],
  },
] as const satisfies readonly FaultRow[];
