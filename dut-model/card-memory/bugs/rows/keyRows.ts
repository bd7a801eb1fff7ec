/** How the bugs of keyFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const CARD = ['+MEM_DOMAIN=card'] as const;
const KEYS = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=wrong_keys',
  '+RC_QP_NUM=29',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  ...CARD,
] as const;
const BOUNDS = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=device_bounds',
  '+RC_QP_NUM=4',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
] as const;
const LARGE = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=large_pages',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+SEQ_COUNT=6',
  '+NIC_SUB_WINDOW_LOG=22',
] as const;
const UNREFUSED = ['SEQ_STATUS', 'SCB_STATUS', 'SCB_STRAY_WRITE', 'SCB_WIRE_DATA'] as const;

export const KEY_ROWS = [
  {
    name: 'card_rights_ignored',
    description: 'regions on the card open all that is asked for, whatever their rights',
    caughtBy: UNREFUSED,
    needs: KEYS,
  },
  {
    name: 'card_domain_unchecked',
    description: 'protection domains are not compared',
    caughtBy: UNREFUSED,
    needs: KEYS,
  },
  {
    name: 'card_key_index_only',
    description: 'a key opens the region of its index in the table, whatever its other bits',
    caughtBy: UNREFUSED,
    needs: KEYS,
  },
  {
    name: 'card_bounds_late',
    description: 'the range check lets an access reach a byte beyond its region',
    caughtBy: [...UNREFUSED, 'SCB_REVERIFY'],
    needs: BOUNDS,
  },
  {
    name: 'card_zero_base_lost',
    description:
      'the offset of a zero-based region is compared without its sign: what lies in front counts as its first bytes',
    caughtBy: UNREFUSED,
    needs: BOUNDS,
  },
  {
    name: 'card_checks_after_write',
    description: 'the first packet of a WRITE is written before its key is checked',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: KEYS,
  },
  {
    name: 'mtt_page_repeated',
    description: 'every second page of a region on the card is the page before it',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_WIRE_DATA'],
    needs: CARD,
  },
  {
    name: 'large_page_ignored',
    description: 'the page size of a region is not looked at: entries for 2 MiB are taken for entries of 4 KiB',
    caughtBy: [...UNREFUSED, 'SCB_DATA', 'SEQ_APERTURE'],
    needs: LARGE,
  },
  {
    name: 'large_page_half',
    description: 'a bit of the place in a page of 2 MiB is lost: its upper half aliases the lower one',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_WIRE_DATA', 'SEQ_APERTURE'],
    needs: LARGE,
  },
] as const satisfies readonly CardFaultRow[];
