/** Frames that a fault rule holds back until later ones have passed, or until their time is over. */

import type { EventHandler, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { LinkFrame } from './framePool.ts';

/** One that waits. */
export interface HeldFrame {
  readonly frame: LinkFrame;
  /** Host that it goes to; -1 = all others. */
  readonly to: number;
  /** Frames that must still pass. */
  left: number;
  /** It has not left its sender before, ps. */
  readonly notBefore: SimTime;
}

export class HeldFrames implements EventHandler {
  readonly fullName = 'link.held';
  readonly #scheduler: Scheduler;
  readonly #release: (held: HeldFrame, time: SimTime) => void;
  /** By number, in the order in which they were held. A number that is gone was let go before its time. */
  readonly #waiting = new Map<number, HeldFrame>();
  #next = 0;

  /** @param release lets a frame go on that leaves its sender's cable at `time` */
  constructor(scheduler: Scheduler, release: (held: HeldFrame, time: SimTime) => void) {
    this.#scheduler = scheduler;
    this.#release = release;
  }

  /** Holds a frame until `frames` more have passed from its port to the same place, or until `deadline` (ps). */
  hold(frame: LinkFrame, to: number, frames: number, notBefore: SimTime, deadline: SimTime): void {
    const number = this.#next++;
    this.#waiting.set(number, { frame, to, left: frames, notBefore });
    this.#scheduler.scheduleAt(Math.max(deadline, this.#scheduler.now), this, number);
  }

  /** A frame of a port of `host` has been let through to `to`, and leaves the cable at `end`. */
  passed(host: number, port: number, to: number, end: SimTime): void {
    for (const [number, held] of this.#waiting) {
      if (held.frame.from !== host || held.frame.port !== port || held.to !== to || --held.left > 0) continue;
      this.#waiting.delete(number);
      this.#release(held, Math.max(end, held.notBefore));
    }
  }

  /** The time of one is over. */
  fire(number: number): void {
    const held = this.#waiting.get(number);
    if (held === undefined) return;
    this.#waiting.delete(number);
    this.#release(held, Math.max(this.#scheduler.now, held.notBefore));
  }
}
