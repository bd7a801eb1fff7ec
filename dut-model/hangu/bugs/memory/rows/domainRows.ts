/** How the bugs of domainFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const NEAR_DOMAINS: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=near_domains', '+RC_QP_NUM=10'];

export const DOMAIN_ROWS = [
  {
    name: 'remote_domain_in_part',
    block: 'translation',
    description: 'the lowest 8 bits of a protection domain alone are compared when a peer asks for memory',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS', 'SCB_ANSWERED'],
    needs: NEAR_DOMAINS,
  },
  {
    name: 'local_domain_in_part',
    block: 'translation',
    description: 'the lowest 8 bits of a protection domain alone are compared for what a queue pair sends or receives',
    decides: '# B are in data',
    caughtBy: ['SCB_STATUS'],
    needs: NEAR_DOMAINS,
  },
  {
    name: 'domain_highest_bits',
    block: 'translation',
    description: 'the highest 8 bits of a protection domain alone are compared',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS', 'SCB_ANSWERED'],
    needs: NEAR_DOMAINS,
  },
] as const satisfies readonly FaultRow[];
