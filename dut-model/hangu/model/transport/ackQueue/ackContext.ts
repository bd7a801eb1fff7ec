/**
 * The context of one ACK queue as the chip has it, and which part of the queue a PSN can be in: level 1 of the look-up
 * (roce-transport.md 9).
 */
import { AQ_VALID, AQC } from '../../../layout/ackQueue.ts';
import type { HanguConfig } from '../../hanguConfig.ts';
import { psnCmp } from '../../../../roce/psn.ts';
import type { QpSlot } from '../qpSlot.ts';

/** Entries of a queue: number of the first one, and how many. */
export interface EntryRange {
  readonly first: number;
  readonly count: number;
}

/** Entries that a queue has at least where READs and WRITEs have some too: a READ must outlast the WRITEs that follow it. */
const LEAST_OF_ALL = 256;

/** Entries of each queue. */
export function depthOf({ aqDepth, aqRepeats }: HanguConfig): number {
  return aqRepeats === 0 ? aqDepth : Math.max(aqDepth, LEAST_OF_ALL);
}

const NONE: EntryRange = { first: 0, count: 0 };

export class AckContext {
  /** The queue pair. One that was reset has another slot, and this context is not its. */
  slot: QpSlot;
  /** Dword where it lies on the chip. */
  readonly at: number;
  /** It is being read from host memory. */
  isLoading = false;
  /** Host memory has an older state. */
  isDirty = false;
  /** When it was used last, counted by the cache. */
  used = 0;

  readonly #words: () => Int32Array;

  constructor(slot: QpSlot, at: number, words: () => Int32Array) {
    this.slot = slot;
    this.at = at;
    this.#words = words;
  }

  /** Results ever written. */
  get written(): number {
    return this.#get(AQC.written) >>> 0;
  }

  get depth(): number {
    return this.#get(AQC.depth);
  }

  get groupEntries(): number {
    return this.#get(AQC.groupEntries);
  }

  /** Gives it the state of a queue without entries. */
  initialise(hi: number, lo: number, depth: number, groupEntries: number): void {
    const w = this.#words();
    w.fill(0, this.at, this.at + AQC.groups + depth / groupEntries);
    w[this.at + AQC.startLo] = lo;
    w[this.at + AQC.startHi] = hi;
    w[this.at + AQC.depth] = depth;
    w[this.at + AQC.groupEntries] = groupEntries;
  }

  /** Host address of the queue, halves. */
  get startHi(): number {
    return this.#get(AQC.startHi);
  }

  get startLo(): number {
    return this.#get(AQC.startLo);
  }

  /** Number of the entry that the next result goes to. */
  get next(): number {
    return this.written % this.depth;
  }

  /** A result goes to entry `next`. @returns whether a group begins with it, of which the first PSN is noted */
  append(psn: number): boolean {
    const w = this.#words();
    const { next } = this;
    const begins = next % this.groupEntries === 0;
    if (begins) w[this.at + AQC.groups + next / this.groupEntries] = psn | AQ_VALID;
    w[this.at + AQC.written] = (this.#get(AQC.written) + 1) | 0;
    this.isDirty = true;
    return begins;
  }

  /** Level 1: the entries among which that of a PSN is, if it is anywhere: those of one group. */
  rangeOf(psn: number): EntryRange {
    const { written, depth, groupEntries } = this;
    const group = this.groupOf(psn);
    if (group < 0) return NONE;
    const first = group * groupEntries;
    const end = Math.min(first + groupEntries, written < depth ? written : depth);
    return { first, count: end - first };
  }

  /**
   * The group with the newest first PSN that is not after `psn`. What is older than all of them can only be in the rest of
   * the group that is being overwritten. @returns -1 when no group can have it
   */
  groupOf(psn: number): number {
    const { written, depth, groupEntries } = this;
    let best = -1;
    let least = 1 << 23;
    for (let g = 0; g * groupEntries < Math.min(written, depth); g++) {
      const distance = psnCmp(psn, this.firstPsn(g));
      if (distance < 0 || distance >= least) continue;
      best = g;
      least = distance;
    }
    const rest = written > depth && this.next % groupEntries !== 0;
    return best < 0 && rest ? Math.floor(this.next / groupEntries) : best;
  }

  /** PSN of the first entry of a group that has one. */
  firstPsn(group: number): number {
    return this.#get(AQC.groups + group) & 0xffffff;
  }

  #get(word: number): number {
    return this.#words()[this.at + word] as number;
  }
}
