/** How the bugs of ringAndAckFaults.ts show: what they need, and which checks must see them. */
import type { DriverFaultRow } from '../driverFault.ts';

export const RING_AND_ACK_ROWS = [
  {
    name: 'ack_checksum_wrong',
    part: 'ack-responder',
    description: 'acknowledgements have a wrong UDP checksum',
    breaks: ['B-010'],
    caughtBy: ['BLUE_CHECKSUM'],
  },
  {
    name: 'ack_ahead',
    part: 'ack-responder',
    description: 'acknowledgements name a PSN more than has been received',
    breaks: ['B-022'],
    caughtBy: ['BLUE_ACK'],
  },
  {
    name: 'ring_unaligned',
    part: 'rings',
    description: 'rings to the card begin 512 bytes behind a page',
    breaks: ['B-005'],
    caughtBy: ['BLUE_RING_BASE'],
  },
  {
    name: 'head_too_far',
    part: 'rings',
    description: 'every 20th head shows more than the ring can hold',
    breaks: ['B-002', 'B-003'],
    caughtBy: ['BLUE_RING_HEAD'],
  },
  {
    name: 'tail_too_far',
    part: 'rings',
    description: 'every 20th tail gives back three descriptors that were not taken',
    breaks: ['B-002'],
    caughtBy: ['BLUE_RING_TAIL'],
  },
] as const satisfies readonly DriverFaultRow[];
