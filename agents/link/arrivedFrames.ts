/** Frames as they reach NICs, for a capture: each at the interface of the port where it arrives. */

import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { INJECTED_TAG } from './inject/injectedPacket.ts';
import { type ArrivalItem, FrameItem } from './linkItems.ts';

/** Connect `LinkAgent.arrivals` to it. */
export class ArrivedFrames implements Subscriber<ArrivalItem> {
  readonly #clock: { readonly now: number };
  readonly #target: Subscriber<FrameItem>;
  readonly #item = new FrameItem();

  constructor(clock: { readonly now: number }, target: Subscriber<FrameItem>) {
    this.#clock = clock;
    this.#target = target;
    this.#item.arrives = true;
  }

  write({ host, port, tag, data, length, fcsError }: ArrivalItem): void {
    // A MAC drops it, so that nobody behind it captures it.
    if (fcsError) return;
    const item = this.#item;
    item.host = host;
    item.port = port;
    item.data = data;
    item.length = length;
    item.time = this.#clock.now;
    item.end = item.time;
    item.injected = tag === INJECTED_TAG;
    this.#target.write(item);
  }
}
