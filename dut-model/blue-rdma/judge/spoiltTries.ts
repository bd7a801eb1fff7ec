/**
 * What the link has done to the tries of a queue pair since its driver heard of progress. A driver gives up after time-outs
 * without progress, and after each but the last of them it has sent something again. Where nothing came of that, the link has
 * kept one of these from its receiver: a packet that the receiver lacks (counted with the packet), the answer, or all copies of
 * packets that the receiver has.
 */
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US } from '../../../uvm/kernel/time.ts';

/** Copies of one try follow each other within this time, ps: less than a time-out of which it is judged whether it may end. */
const TOGETHER = 50 * US;

export class SpoiltTries {
  #answers = 0;
  #copies = 0;
  /** When copies were last counted as lost, and when one last arrived. */
  #lostAt = Number.NEGATIVE_INFINITY;
  #arrivedAt = Number.NEGATIVE_INFINITY;
  #isPending = false;

  /** Tries of which an answer was lost, or all copies. */
  get others(): number {
    return this.#answers + this.#copies;
  }

  /** Progress. */
  clear(): void {
    this.#answers = 0;
    this.#copies = 0;
    this.#isPending = false;
  }

  /** What the receiver's side says is lost. */
  answerHit(): void {
    this.#answers++;
  }

  /** A packet that is sent again is lost: with all that are sent with it, unless one of them arrives. */
  copyHit(now: SimTime): void {
    if (now - this.#lostAt < TOGETHER || now - this.#arrivedAt < TOGETHER) return;
    this.#lostAt = now;
    this.#copies++;
    this.#isPending = true;
  }

  /** A packet that was sent again arrives. */
  copyArrives(now: SimTime): void {
    if (this.#isPending && now - this.#lostAt < TOGETHER) this.#copies--;
    this.#isPending = false;
    this.#arrivedAt = now;
  }
}
