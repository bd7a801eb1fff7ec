/**
 * Where a capture was taken. A packet may be in it twice: as it leaves one NIC, and as it reaches another. Of the second the first says
 * what its sender did; the second says that it has arrived, which is what the receiver may answer.
 */

import { type CaptureFrame, DIRECTION } from '../../agents/link/capture/captureFrame.ts';

/** What was captured at an interface. */
interface Interface {
  sent: boolean;
  received: boolean;
  /** Frames of which it is not known which way they went. */
  unknown: boolean;
}

export class CapturePoints {
  /** Addresses by their numbers: the interfaces at which frames from there were captured as they left. */
  readonly #leaving = new Map<number, Set<number>>();
  readonly #interfaces = new Map<number, Interface>();

  /**
   * Notes a frame of RoCEv2 that a NIC has sent. @param from number of its source address
   * @returns whether it was captured as it left, too: frames from there are seen as they leave
   */
  isSeenTwice({ interfaceId, direction }: CaptureFrame, from: number): boolean {
    let point = this.#interfaces.get(interfaceId);
    if (point === undefined) {
      point = { sent: false, received: false, unknown: false };
      this.#interfaces.set(interfaceId, point);
    }
    if (direction === DIRECTION.unknown) point.unknown = true;
    if (direction === DIRECTION.received) {
      point.received = true;
      return this.#leaving.has(from);
    }
    if (direction === DIRECTION.sent) {
      point.sent = true;
      const known = this.#leaving.get(from);
      if (known === undefined) this.#leaving.set(from, new Set([interfaceId]));
      else known.add(interfaceId);
    }
    return false;
  }

  /** Addresses of NICs of which all that arrives, and all that leaves, is in the capture. */
  bothWays(): readonly number[] {
    const isWhole = (id: number): boolean => {
      const point = this.#interfaces.get(id);
      return point?.sent === true && point.received && !point.unknown;
    };
    return [...this.#leaving].filter(([, ids]) => [...ids].every(isWhole)).map(([address]) => address);
  }
}
