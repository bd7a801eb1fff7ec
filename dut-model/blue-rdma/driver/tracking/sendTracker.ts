/** What the peer has acknowledged of what a queue pair sent, and what of it is to be sent again (blue-rdma.md 11.3, 11.4). */
import { WINDOW_BITS } from '../../layout/limits.ts';
import { psnAfter, psnDistance } from './psn.ts';
import { PsnSet } from './psnSet.ts';
import type { WindowBits } from './windowBits.ts';

/** What is sent again when the NIC of the peer reports a loss. */
export const RESEND_POLICY = ['selective', 'hull', 'gbn'] as const;
export type ResendPolicy = (typeof RESEND_POLICY)[number];

/** PSNs [first, first + count). */
export interface PsnRun {
  readonly first: number;
  readonly count: number;
}

const LAST_SEQUENCE = 0xffff;

export class SendTracker {
  readonly acknowledged: PsnSet;
  /** The next PSN to be allocated. */
  next: number;
  /** PSN behind the newest packet that the NIC has been given: what lies beyond has never been sent. */
  given: number;
  /** Sequence number of the last loss reported, and start of the window in that report. */
  #sequence = LAST_SEQUENCE;
  #windowFirst: number;

  /** @param psn first PSN that is sent */
  constructor(psn: number) {
    this.acknowledged = new PsnSet(psn);
    this.next = psn;
    this.given = psn;
    this.#windowFirst = psnAfter(psn, -WINDOW_BITS);
  }

  /** First PSN that is not acknowledged. */
  get base(): number {
    return this.acknowledged.base;
  }

  /** PSNs allocated and not acknowledged as a whole. */
  get outstanding(): number {
    return psnDistance(this.base, this.next);
  }

  /** All PSNs before `end` have been received. @returns false for one that was never sent */
  before(end: number): boolean {
    if (psnDistance(end, this.next) < 0) return false;
    this.acknowledged.addRange(this.base, end);
    return true;
  }

  /**
   * The NIC of the peer has lost something. Conclusions about what slid out of its window without a word are drawn only
   * if no such report is missing.
   * @returns false for one that has been seen before
   */
  hardwareNak(sequence: number, before: WindowBits, now: WindowBits): boolean {
    const step = ((sequence - this.#sequence) << 16) >> 16;
    if (step <= 0) return false;
    if (this.concludes(step)) {
      const end = psnDistance(before.first, this.next) < 0 ? this.next : before.first;
      if (psnDistance(this.#windowFirst, end) > 0) this.acknowledged.addRange(this.#windowFirst, end);
    }
    before.addTo(this.acknowledged, this.next);
    now.addTo(this.acknowledged, this.next);
    this.#sequence = sequence;
    this.#windowFirst = now.first;
    return true;
  }

  /** Whether the reports before one that is so many steps behind the last are all known; overridable for planting. */
  protected concludes(step: number): boolean {
    return step === 1;
  }

  /** What to send again after a loss of which the peer's NIC has reported these windows. */
  toResend(policy: ResendPolicy, before: WindowBits, now: WindowBits): PsnRun[] {
    if (policy === 'gbn') {
      const [lost] = this.missing(before.first, now.first);
      return lost === undefined ? [] : this.missing(lost.first, this.given, true);
    }
    if (policy === 'hull') return this.missing(before.first, psnAfter(now.first, WINDOW_BITS), true);
    return this.missing(before.first, now.first, false);
  }

  /** Runs of PSNs of [from, to) that were sent and are not acknowledged; with `all`, from the first such one on all. */
  missing(from: number, to: number, all = false): PsnRun[] {
    const first = psnDistance(this.base, from) < 0 ? this.base : from;
    const end = psnDistance(to, this.given) < 0 ? this.given : to;
    const count = psnDistance(first, end);
    if (count <= 0) return [];
    if (all) return [{ first, count }];
    const runs: PsnRun[] = [];
    let length = 0;
    for (let i = 0; i <= count; i++) {
      const psn = psnAfter(first, i);
      if (i < count && !this.acknowledged.has(psn)) length++;
      else if (length > 0) {
        runs.push({ first: psnAfter(psn, -length), count: length });
        length = 0;
      }
    }
    return runs;
  }
}
