import { IdleTime } from '../idleTime.ts';

/** Frames that one host's port has carried since the start of the run. */
export class LinkStatistics {
  sentFrames = 0;
  sentBytes = 0;
  receivedFrames = 0;
  receivedBytes = 0;
  droppedFrames = 0;
  /** When the latest frame came, and when the port was done with it or with one that it sent, ps. */
  receivedAt = Number.NaN;
  movedAt = Number.NaN;
  readonly idle = new IdleTime();
  /** Time for which the port's transmit direction was busy, ps. */
  busy = 0;

  constructor() {
    // Not numbers at first, so that the engine keeps doubles from the start.
    this.receivedAt = 0;
    this.movedAt = 0;
  }

  /** A frame comes. */
  receives(bytes: number, now: number): void {
    this.receivedFrames++;
    this.receivedBytes += bytes;
    this.receivedAt = now;
    this.#moves(now, now);
  }

  /** A frame leaves between `start` and `end`. */
  sends(bytes: number, start: number, end: number): void {
    this.sentFrames++;
    this.sentBytes += bytes;
    this.busy += end - start;
    this.#moves(start, end);
  }

  #moves(start: number, end: number): void {
    this.idle.ends(this.movedAt, start);
    if (end > this.movedAt) this.movedAt = end;
  }

  /** One line for the report at the end of a run. */
  toString(): string {
    return (
      `sent ${this.sentFrames} frames (${this.sentBytes} B), received ${this.receivedFrames} ` +
      `(${this.receivedBytes} B), lost ${this.droppedFrames}, transmitter busy ${(this.busy / 1e6).toFixed(3)} us`
    );
  }
}
