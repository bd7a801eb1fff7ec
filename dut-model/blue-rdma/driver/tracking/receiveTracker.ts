/** What a queue pair has received, as far as its NIC has reported it (blue-rdma.md section 11.2). */
import { WINDOW_BITS } from '../../layout/limits.ts';
import { psnAfter, psnDistance } from './psn.ts';
import { PsnSet } from './psnSet.ts';
import type { WindowBits } from './windowBits.ts';

/** Half of the PSN space ahead: nothing that was received lies beyond. */
const AHEAD = (1 << 23) - 1;

export class ReceiveTracker {
  readonly received: PsnSet;
  /** Start of the window that was reported last: what slides out of it without a word has been received. */
  #windowFirst: number;

  /** @param psn first PSN that is expected */
  constructor(psn: number) {
    this.received = new PsnSet(psn);
    this.#windowFirst = psnAfter(psn, -WINDOW_BITS);
  }

  /** First PSN that is missing. */
  get base(): number {
    return this.received.base;
  }

  packet(psn: number): void {
    this.received.add(psn);
  }

  /** Nothing is lost. */
  localAck(now: WindowBits): void {
    this.#slidOut(now.first);
    now.addTo(this.received, psnAfter(this.base, AHEAD));
    this.#windowFirst = now.first;
  }

  /** A hole has left the window; between the two windows nothing was seen. */
  localNak(before: WindowBits, now: WindowBits): void {
    this.#slidOut(before.first);
    before.addTo(this.received, psnAfter(this.base, AHEAD));
    now.addTo(this.received, psnAfter(this.base, AHEAD));
    this.#windowFirst = now.first;
  }

  #slidOut(first: number): void {
    if (psnDistance(this.#windowFirst, first) > 0) this.received.addRange(this.#windowFirst, first);
  }
}
