/** How the bugs of usedKeyFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with wrong requests under keys that were just used rightfully. */
const USED_KEYS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=used_keys',
  '+RC_QP_NUM=13',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

/** Stimulus with keys that queue pairs of other domains try while their owners use them. */
const FOREIGN_DOMAINS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=foreign_domains',
  '+RC_QP_NUM=20',
  '+PROC_NUM=2',
];

export const USED_KEY_ROWS = [
  {
    name: 'rights_checked_once',
    block: 'translation',
    description: 'the rights of a region are looked at by the first access only',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: USED_KEYS,
  },
  {
    name: 'upper_half_kept',
    block: 'translation',
    description: 'the upper half of an address is taken from the first access to its region',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: USED_KEYS,
  },
  {
    name: 'end_checked_once',
    block: 'translation',
    description: 'the end of a region is looked at by the first access only',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: USED_KEYS,
  },
  {
    name: 'domain_checked_once',
    block: 'translation',
    description: 'the protection domain of a region is compared with that of the first access only',
    caughtBy: ['SCB_STATUS'],
    needs: FOREIGN_DOMAINS,
  },
] as const satisfies readonly FaultRow[];
