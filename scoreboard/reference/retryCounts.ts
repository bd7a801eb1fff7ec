import { leastOf, mostOf, type Seen } from '../../agents/verbs/windowed.ts';
import { widened } from '../../uvm/bytes/widened.ts';

const NOT_KNOWN = -1;
/** So low a count that it never comes to a limit. */
const EXEMPT = -0x4000_0000;

/**
 * How often in a row the sender of each flow had to try again with the same packet, and how often it may
 * (roce-transport.md 3.8): `rnr_retry` for refusals of a receiver that is not ready, `retry_cnt` for everything else.
 */
export class RetryCounts {
  /** By flow: PSN of the packet, -1 for none, and how often. */
  #psns = new Int32Array(64).fill(NOT_KNOWN);
  #counts = new Int32Array(64);
  /** By flow: PSN that is exempt when the sender comes to it, -1 for none. */
  #exempt = new Int32Array(64).fill(NOT_KNOWN);
  readonly #limitOf: (flow: number) => Seen<number>;
  readonly #forEver: number;

  /**
   * @param limitOf how often the sender of a flow may try again, -1 where that is not known
   * @param forEver limit that stands for none; left out where each is one
   */
  constructor(limitOf: (flow: number) => Seen<number>, forEver = NOT_KNOWN) {
    this.#limitOf = limitOf;
    this.#forEver = forEver;
  }

  /** The flow begins anew. */
  begin(flow: number): void {
    this.#reserve(flow);
    this.#psns[flow] = NOT_KNOWN;
    this.#exempt[flow] = NOT_KNOWN;
  }

  /**
   * There is one more reason to try again with this packet.
   * @param first what the first one counts: 0 where it may be a reason to try again with another packet
   */
  another(flow: number, psn: number, first = 1): void {
    if (flow >= this.#psns.length) return;
    const before = this.#psns[flow] === psn ? (this.#counts[flow] as number) + 1 : first;
    this.#counts[flow] = this.#exempt[flow] === psn ? EXEMPT : before;
    this.#psns[flow] = psn;
  }

  /** Number of reasons in a row, if there were more than the sender of the packet may try again for; otherwise 0. */
  tooMany(flow: number, psn: number): number {
    if (flow >= this.#psns.length || this.#psns[flow] !== psn) return 0;
    const limit = this.#limitOf(flow);
    const most = mostOf(limit);
    if (most === this.#forEver || leastOf(limit) === NOT_KNOWN) return 0;
    const count = this.#counts[flow] as number;
    return count > most ? count : 0;
  }

  /** Some of the reasons to try again with this packet may not count for the sender: it is not judged for them. */
  exempt(flow: number, psn: number): void {
    if (flow >= this.#psns.length) return;
    this.#psns[flow] = psn;
    this.#counts[flow] = EXEMPT;
  }

  /** The same of a packet to which the sender will come, and may go back to another before. */
  exemptLater(flow: number, psn: number): void {
    if (flow < this.#exempt.length) this.#exempt[flow] = psn;
  }

  #reserve(flow: number): void {
    const before = this.#psns.length;
    if (flow < before) return;
    this.#psns = widened(this.#psns, flow + 1).fill(NOT_KNOWN, before);
    this.#counts = widened(this.#counts, flow + 1);
    this.#exempt = widened(this.#exempt, flow + 1).fill(NOT_KNOWN, before);
  }
}
