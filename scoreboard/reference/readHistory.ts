import { widened } from '../../uvm/bytes/widened.ts';
import { carried } from '../../uvm/bytes/words.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';

/** READs of all flows that are remembered; a power of two. */
const KEPT = 4096;
const ENTRY_WORDS = 8;

/** Words of an entry, from the index that `ReadHistory.find` gives. */
export const ASKED = {
  /** Number of the flow's READ before, plus one. */
  before: 0,
  psn: 1,
  packets: 2,
  vaHi: 3,
  vaLo: 4,
  rkey: 5,
  /** Unsigned. */
  length: 6,
} as const;

/**
 * What READs asked for when they were sent first, also after they have been answered: an answer may be lost on the way.
 * Atomics count among them.
 * The newest of all flows are kept, those of a flow in a chain from the newest on.
 */
export class ReadHistory {
  readonly words = new Int32Array(KEPT * ENTRY_WORDS);
  /** Result of `find`: READs and atomics of the flow that were sent first after the one that was found. */
  behind = 0;
  /** Results of `locate`: bytes of the READ before the part, and the address of its first one. */
  skipped = 0;
  hi = 0;
  lo = 0;
  /** By flow: number of its newest READ plus one, 0 for none. */
  #newest = new Int32Array(64);
  #count = 0;

  /** A READ that takes `packets` PSNs, or an atomic, is sent for the first time. */
  note(flow: number, p: DecodedPacket, packets: number): void {
    if (flow >= this.#newest.length) this.#newest = widened(this.#newest, flow + 1);
    const w = this.words;
    const i = entryOf(this.#count++);
    w[i + ASKED.before] = this.#newest[flow] as number;
    w[i + ASKED.psn] = p.psn;
    w[i + ASKED.packets] = packets;
    w[i + ASKED.vaHi] = p.vaHi;
    w[i + ASKED.vaLo] = p.vaLo;
    w[i + ASKED.rkey] = p.rkey;
    w[i + ASKED.length] = p.dmaLength | 0;
    this.#newest[flow] = this.#count;
  }

  /** Index in `words` of the newest READ of a flow whose answer covers this PSN, -1 when none is remembered. */
  find(flow: number, psn: number): number {
    const w = this.words;
    let n = flow < this.#newest.length ? (this.#newest[flow] as number) : 0;
    this.behind = 0;
    while (n > 0 && n > this.#count - KEPT) {
      const i = entryOf(n - 1);
      const offset = psnCompare(psn, w[i + ASKED.psn] as number);
      if (offset >= 0 && offset < (w[i + ASKED.packets] as number)) return i;
      n = w[i + ASKED.before] as number;
      this.behind++;
    }
    return -1;
  }

  /** Says in `skipped`, `hi` and `lo` where in memory the part of READ `read` from packet `psn` on begins. */
  locate(read: number, psn: number, mtu: number): void {
    const w = this.words;
    this.skipped = psnCompare(psn, w[read + ASKED.psn] as number) * mtu;
    const low = ((w[read + ASKED.vaLo] as number) >>> 0) + this.skipped;
    this.hi = carried(w[read + ASKED.vaHi] as number, low);
    this.lo = low | 0;
  }

  /** The flow begins anew. */
  forget(flow: number): void {
    if (flow < this.#newest.length) this.#newest[flow] = 0;
  }
}

function entryOf(number: number): number {
  return (number & (KEPT - 1)) * ENTRY_WORDS;
}
