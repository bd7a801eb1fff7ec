/** How the bugs of regionFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const LARGE_REGIONS = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=large_regions', '+RC_QP_NUM=2', '+UD_QP_NUM=0'];

/** One case of a sequence each: the connections in front of it play others. */
const ENDS = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=region_ends', '+PROC_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
  ...['+ACK_TIMEOUT=1', '+RETRY_CNT=1'],
];
const REREGISTERED = [
  ...[
    '+UVM_TESTNAME=test_sequence',
    '+UVM_TEST_SEQ=reregistered_regions',
    '+PROC_NUM=1',
    '+UC_QP_NUM=0',
    '+UD_QP_NUM=0',
  ],
  ...['+ACK_TIMEOUT=1', '+RETRY_CNT=1', '+KEYS_SOON=1'],
];

export const REGION_ROWS = [
  {
    name: 'zero_based_from_page',
    block: 'command engine',
    description: 'what a zero-based region opens is counted from the start of its first page',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=zero_based', '+UD_QP_NUM=0'],
  },
  {
    name: 'region_page_wraps',
    block: 'translation',
    description: 'what lies 4 GiB or more behind the start of a region is looked up 4 GiB nearer',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA'],
    needs: LARGE_REGIONS,
  },
  {
    name: 'region_end_aliased',
    block: 'translation',
    description: 'what lies behind the end of a region opens what lies 4 GiB in front of it',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_STATUS'],
    needs: LARGE_REGIONS,
  },
  {
    name: 'region_kept',
    block: 'command engine',
    description:
      'a region that is said to be closed stays open, also for a message sent later to a receive posted before',
    decides: '# B are in data',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=deregistered_midway', '+RC_QP_NUM=4'],
  },
  {
    name: 'empty_region_refused',
    block: 'command engine',
    description: 'regions of no bytes are refused',
    caughtBy: ['HCA_CMD_STATUS'],
    needs: [...ENDS, '+RC_QP_NUM=1'],
  },
  {
    name: 'empty_region_opens',
    block: 'command engine',
    description: 'regions of no bytes open a page',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: [...ENDS, '+RC_QP_NUM=3'],
  },
  {
    name: 'last_address_closed',
    block: 'translation',
    description: 'what ends with the last address of 48 bits is taken to end in front of its start',
    caughtBy: ['SCB_STATUS', 'SCB_REFUSED'],
    needs: [...ENDS, '+RC_QP_NUM=6'],
  },
  {
    name: 'range_end_wraps',
    block: 'translation',
    description: 'of a range only the end is looked at, with 64 bits',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: [...ENDS, '+RC_QP_NUM=8'],
  },
  {
    name: 'reregistered_rights_kept',
    block: 'command engine',
    description: 'a region that is registered anew keeps the rights of the one before',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: [...REREGISTERED, '+RC_QP_NUM=1'],
  },
  {
    name: 'reregistered_domain_kept',
    block: 'command engine',
    description: 'a region that is registered anew keeps the protection domain of the one before',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: [...REREGISTERED, '+RC_QP_NUM=2'],
  },
  {
    name: 'reregistered_end_kept',
    block: 'command engine',
    description: 'a region that is registered anew keeps the length of the one before, where that was more',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE'],
    needs: [...REREGISTERED, '+RC_QP_NUM=3'],
  },
] as const satisfies readonly FaultRow[];
