/** Bugs in how the NIC reads and writes rings, and in what it sends without being asked. */
import { HEADER } from '../layout/descriptors.ts';
import { FetchRing } from '../model/fetchRing.ts';
import { ReportRing } from '../model/reportRing.ts';
import { SendChunk } from '../model/sendChunk.ts';
import { SendQueue } from '../model/sendQueue.ts';
import type { BlueFault } from './blueFault.ts';

/** Once in a while. */
const OFTEN = 20;

class SlotAgain extends FetchRing {
  #reads = 0;
  protected override slotOf(tail: number): number {
    const slot = super.slotOf(tail);
    return ++this.#reads % OFTEN === 0 && slot > 0 ? slot - 1 : slot;
  }
}

class WholeBlocks extends FetchRing {
  protected override lengthOf(_n: number, rest: number): number {
    return rest;
  }
}

class ReservedSet extends ReportRing {
  #count = 0;
  override begin(opcode: number, hasNext: boolean): number {
    const at = super.begin(opcode, hasNext);
    const w = this.core.bytes.i32;
    if (++this.#count % OFTEN === 0) w[at + HEADER.word] = (w[at + HEADER.word] as number) | (1 << 26);
    return at;
  }
}

/** So long after it was first sent a chunk is sent once more, ps. */
const LATER = 100e6;

/** Of each channel's first chunk a copy is kept. */
class OldChunkAgain extends SendQueue {
  #kept: SendChunk | null = null;
  #due = 0;

  override next(): SendChunk | null {
    const { now } = this.core.scheduler;
    const kept = this.#kept;
    if (kept !== null && this.#due > 0 && now >= this.#due) {
      this.#due = 0;
      return kept;
    }
    const chunk = super.next();
    if (chunk !== null && this.#kept === null && chunk.length > 0) {
      this.#kept = Object.assign(new SendChunk(), chunk, { retry: true, next: null, done: 0, packets: 0 });
      this.#due = now + LATER;
    }
    return chunk;
  }
}

export const RING_FAULTS: readonly BlueFault[] = [
  {
    name: 'slot_read_again',
    block: 'rings',
    description: 'every 20th read of a ring begins a slot too early',
    breaks: ['B-003', 'B-004'],
    caughtBy: ['BLUE_RING_ORDER'],
    blocks: { fetchRing: SlotAgain },
  },
  {
    name: 'whole_blocks_read',
    block: 'rings',
    description: 'descriptors are read to the end of their block, whatever the head shows',
    breaks: ['B-003'],
    caughtBy: ['BLUE_RING_UNPUBLISHED'],
    blocks: { fetchRing: WholeBlocks },
  },
  {
    name: 'reserved_bits_set',
    block: 'rings',
    description: 'every 20th descriptor that is written has a reserved bit set',
    breaks: ['B-001'],
    caughtBy: ['BLUE_RING_RESERVED'],
    blocks: { reportRing: ReservedSet },
  },
  {
    name: 'old_chunk_again',
    block: 'send queue',
    description: 'the first chunk is sent once more 100 us later',
    breaks: ['B-021'],
    caughtBy: ['BLUE_UNASKED'],
    blocks: { sendQueue: OldChunkAgain },
  },
];
