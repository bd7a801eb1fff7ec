import type { AccessArea } from '../../agents/pcie/faults/place/accessPlace.ts';
import { Event } from '../../uvm/kernel/event.ts';
import { delay, type Proc } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { NS } from '../../uvm/kernel/time.ts';
import type { TrafficWatcher } from '../host/trafficWatcher.ts';

/** Software looks into its memory this often. */
const POLL = 10 * NS;

/** Data that the NIC of a host has written, as far as they are on their way to memory. */
class Written {
  readonly event: Event;
  count = 0;

  constructor(host: number) {
    this.event = new Event(`data written at host ${host}`);
  }
}

/** Software that polls its memory. It looks while data may be under way only: all other looks would find nothing. */
export class Arrivals implements TrafficWatcher {
  readonly #written = new Map<number, Written>();
  readonly #way: SimTime;

  /** @param way time, ps, within which what a NIC has written is in memory */
  constructor(way: SimTime) {
    this.#way = way;
  }

  /** Waits until `isThere`, which looks into the memory of a host. */
  *until(host: number, isThere: () => boolean): Proc<void> {
    const written = this.#of(host);
    for (let seen = -1; !isThere(); ) {
      if (written.count === seen) yield* written.event.wait();
      seen = written.count;
      for (let waited = 0; waited < this.#way && !isThere(); waited += POLL) yield* delay(POLL);
    }
  }

  arrived(): void {}

  sent(): void {}

  accessed(host: number, isWrite: boolean, area: AccessArea): void {
    if (!isWrite || area !== 'data') return;
    const written = this.#of(host);
    written.count++;
    written.event.trigger();
  }

  #of(host: number): Written {
    let written = this.#written.get(host);
    if (written === undefined) {
      written = new Written(host);
      this.#written.set(host, written);
    }
    return written;
  }
}
