/** How the bugs of targetFaults.ts show: what they need, and which checks must see them. */
import type { CardFaultRow } from '../cardFault.ts';

const CARD = ['+MEM_DOMAIN=card'] as const;
const FULL = [...CARD, '+NIC_SUB_WINDOW_LOG=28'] as const;
/** Writes that end long after their packets have come. */
const SLOW_BANKS = [...CARD, '+NIC_DDR_LATENCY_NS=20000'] as const;

export const TARGET_ROWS = [
  {
    name: 'card_address_32',
    description: 'card addresses have 32 bits: the upper banks of a full card alias to bank 0',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_WIRE_DATA'],
    needs: FULL,
  },
  {
    name: 'ddr_write_posted',
    description: 'acknowledgements and completions do not wait for the end of writes to the card',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE', 'SCB_WIRE_DATA'],
    needs: SLOW_BANKS,
  },
  {
    name: 'ddr_first_burst_ends',
    description: 'a write to the card counts as ended with the first of its bursts, whatever the other banks do',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE', 'SCB_WIRE_DATA'],
    needs: [...CARD, '+NIC_DDR_PEAK_MBPS=2000', '+NIC_INTERLEAVE_LOG=8'],
  },
  {
    name: 'domain_lost',
    description: 'every fifth page of the card that is looked up is taken for the page of host memory with its number',
    caughtBy: ['PCIE_READ', 'SCB_STRAY_WRITE', 'SCB_DATA'],
    needs: CARD,
  },
  {
    name: 'domain_invented',
    description: 'every fifth page of host memory that is looked up is taken for the page of the card with its number',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_WIRE_DATA'],
    needs: ['+MEM_DOMAIN=mixed', '+NIC_SUB_WINDOW_LOG=28'],
  },
] as const satisfies readonly CardFaultRow[];
