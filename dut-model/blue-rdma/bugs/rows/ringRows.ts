/** How the bugs of ringFaults.ts show: what they need, and which checks must see them. */
import type { BlueFaultRow } from '../blueFault.ts';

export const RING_ROWS = [
  {
    name: 'slot_read_again',
    block: 'rings',
    description: 'every 20th read of a ring begins a slot too early',
    breaks: ['B-003', 'B-004'],
    caughtBy: ['BLUE_RING_ORDER'],
  },
  {
    name: 'whole_blocks_read',
    block: 'rings',
    description: 'descriptors are read to the end of their block, whatever the head shows',
    breaks: ['B-003'],
    caughtBy: ['BLUE_RING_UNPUBLISHED'],
  },
  {
    name: 'reserved_bits_set',
    block: 'rings',
    description: 'every 20th descriptor that is written has a reserved bit set',
    breaks: ['B-001'],
    caughtBy: ['BLUE_RING_RESERVED'],
  },
  {
    name: 'old_chunk_again',
    block: 'send queue',
    description: 'the first chunk is sent once more 100 us later',
    breaks: ['B-021'],
    caughtBy: ['BLUE_UNASKED'],
  },
] as const satisfies readonly BlueFaultRow[];
