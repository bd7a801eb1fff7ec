/** Bugs in how the NIC reads and writes rings, and in what it sends without being asked. */
import { HEADER } from '../layout/descriptors.ts';
import { FetchRing } from '../model/fetchRing.ts';
import { ReportRing } from '../model/reportRing.ts';
import { SendChunk } from '../model/sendChunk.ts';
import { SendQueue } from '../model/sendQueue.ts';
import { blueFaultsOf } from './blueFault.ts';
import { RING_ROWS } from './rows/ringRows.ts';

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

export const RING_FAULTS = blueFaultsOf(RING_ROWS, {
  slot_read_again: { fetchRing: SlotAgain },
  whole_blocks_read: { fetchRing: WholeBlocks },
  reserved_bits_set: { reportRing: ReservedSet },
  old_chunk_again: { sendQueue: OldChunkAgain },
});
