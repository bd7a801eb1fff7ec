/**
 * Since when frames may have been in line for their transmitter. A capture shows when a frame is on the link; what its NIC knew when it
 * was made is older by that. The rate of an interface is learnt from the frames that follow each other most closely.
 */

import { type CaptureFrame, DIRECTION } from '../../../agents/link/capture/captureFrame.ts';

/** Bytes between frames, and of the shortest. */
const OVERHEAD = 24;
const SHORTEST = 60;
/** How far apart frames may be, in their times on the link and beyond, and still have been in line, ps. */
const SLACK = 2;
const BEYOND = 1_000_000;

/** By interface: the least time that a byte takes, ps. */
export type Rates = ReadonlyMap<number, number>;

/** Learns the rates of a capture. */
export class TransmitterRates {
  readonly least = new Map<number, number>();
  readonly #latest = new Map<number, { time: number; bytes: number }>();

  see({ interfaceId, direction, injected, time, length }: CaptureFrame): void {
    if (direction !== DIRECTION.sent || injected) return;
    const before = this.#latest.get(interfaceId);
    this.#latest.set(interfaceId, { time, bytes: bytesOf(length) });
    if (before === undefined) return;
    const rate = (time - before.time) / before.bytes;
    if (rate < (this.least.get(interfaceId) ?? Number.POSITIVE_INFINITY)) this.least.set(interfaceId, rate);
  }
}

export class Transmitters {
  readonly #rates: Rates;
  /** By interface: the latest frame, and since when frames have followed each other closely. */
  readonly #lines = new Map<number, { since: number; time: number; bytes: number }>();

  constructor(rates: Rates) {
    this.#rates = rates;
  }

  /** The next frame of the capture. @returns when it may have come in line at the earliest, ps */
  since({ interfaceId, direction, injected, time, length }: CaptureFrame): number {
    if (direction !== DIRECTION.sent || injected) return time;
    const bytes = bytesOf(length);
    const line = this.#lines.get(interfaceId);
    if (line === undefined) {
      this.#lines.set(interfaceId, { since: time, time, bytes });
      return time;
    }
    const rate = this.#rates.get(interfaceId) ?? 0;
    // Stamps that are alike are too coarse to tell.
    const inLine = rate <= 0 || time - line.time <= SLACK * rate * line.bytes + BEYOND;
    if (!inLine) line.since = time;
    line.time = time;
    line.bytes = bytes;
    return line.since;
  }
}

function bytesOf(length: number): number {
  return Math.max(SHORTEST, length) + OVERHEAD;
}
