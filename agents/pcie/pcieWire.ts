import type { Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { PcieHostSettings } from './pcieSettings.ts';

/** When the two directions of a PCIe link are free, and what may not be overtaken. Shared by master and slave. */
export class PcieWire {
  /** Arrival of the latest posted write of the NIC: nothing sent after it may take effect earlier. */
  lastPosted: SimTime = 0;

  readonly #scheduler: Scheduler;
  readonly #psPerByte: number;
  readonly #header: number;
  readonly #upLatency: number;
  readonly #downLatency: number;
  #upFree: SimTime = 0;
  #downFree: SimTime = 0;
  /** Arrival of the latest host access at the NIC. */
  #lastAccess: SimTime = 0;

  constructor(scheduler: Scheduler, settings: PcieHostSettings) {
    this.#scheduler = scheduler;
    this.#psPerByte = 8000 / settings.rate;
    this.#header = settings.headerBytes;
    this.#upLatency = settings.upLatency;
    this.#downLatency = settings.downLatency;
  }

  /** Time on the wire of a packet with `bytes` of payload, ps. */
  transferTime(bytes: number): SimTime {
    return Math.ceil((bytes + this.#header) * this.#psPerByte);
  }

  /**
   * Occupies the direction to the host.
   * @returns the arrival at the host of a packet that is ready at `readyAt`.
   */
  up(readyAt: SimTime, bytes: number): SimTime {
    let start = this.#scheduler.now;
    if (readyAt > start) start = readyAt;
    if (this.#upFree > start) start = this.#upFree;
    this.#upFree = start + Math.ceil((bytes + this.#header) * this.#psPerByte);
    return this.#upFree + this.#upLatency;
  }

  /**
   * Occupies the direction to the NIC for a whole answer of `bytes`, which is ready at `readyAt`.
   * @returns when its first part, of `firstPart` bytes, arrives at the NIC.
   */
  down(readyAt: SimTime, bytes: number, firstPart: number): SimTime {
    const start = this.#downFree > readyAt ? this.#downFree : readyAt;
    this.#downFree = start + Math.ceil((bytes + this.#header) * this.#psPerByte);
    return start + Math.ceil((firstPart + this.#header) * this.#psPerByte) + this.#downLatency;
  }

  /**
   * Arrival at the NIC of a host access sent now. Accesses arrive in the order in which they are sent. They are few
   * and small, so they delay no completion.
   */
  access(bytes: number): SimTime {
    const sent = this.#scheduler.now + this.#downLatency;
    this.#lastAccess = (this.#lastAccess > sent ? this.#lastAccess : sent) + this.transferTime(bytes);
    return this.#lastAccess;
  }
}
