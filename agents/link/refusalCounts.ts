import { widened } from '../../uvm/bytes/widened.ts';

const NOT_KNOWN = -1;
/** `rnr_retry` of a requester that never gives up. */
const FOR_EVER = 7;

/** How often in a row a packet of each flow was refused by a receiver that was not ready, and how often it may be (roce-transport.md 3.8). */
export class RefusalCounts {
  /** By flow: PSN that was refused last, -1 for none, and how often; retries that its sender has. */
  #psns = new Int32Array(64).fill(NOT_KNOWN);
  #counts = new Int32Array(64);
  #limits = new Int32Array(64).fill(FOR_EVER);

  /** The flow begins anew; its sender may retry `limit` times. */
  begin(flow: number, limit: number): void {
    this.#reserve(flow);
    this.#psns[flow] = NOT_KNOWN;
    this.#limits[flow] = limit;
  }

  /** The sender is about to be given another limit; until `changed` the higher one counts. */
  change(flow: number, limit: number): void {
    this.#reserve(flow);
    this.#limits[flow] = Math.max(limit, this.#limits[flow] as number);
  }

  /** What `change` has announced is done. */
  changed(flow: number, limit: number): void {
    this.#limits[flow] = limit;
  }

  /** The receiver was not ready for this packet. */
  refused(flow: number, psn: number): void {
    if (flow >= this.#psns.length) return;
    this.#counts[flow] = this.#psns[flow] === psn ? (this.#counts[flow] as number) + 1 : 1;
    this.#psns[flow] = psn;
  }

  /** Number of refusals in a row, if there were more than the sender of the packet may go on after; otherwise 0. */
  tooMany(flow: number, psn: number): number {
    if (flow >= this.#psns.length || this.#psns[flow] !== psn) return 0;
    const limit = this.#limits[flow] as number;
    const count = this.#counts[flow] as number;
    return limit !== FOR_EVER && count > limit ? count : 0;
  }

  /** Another copy of the refused packet may be on its way, whose refusal would not count. */
  unsure(flow: number): void {
    if (flow < this.#psns.length) this.#psns[flow] = NOT_KNOWN;
  }

  #reserve(flow: number): void {
    const before = this.#psns.length;
    if (flow < before) return;
    this.#psns = widened(this.#psns, flow + 1).fill(NOT_KNOWN, before);
    this.#counts = widened(this.#counts, flow + 1);
    this.#limits = widened(this.#limits, flow + 1).fill(FOR_EVER, before);
  }
}
