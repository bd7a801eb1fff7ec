/**
 * The life of a device as the software of its host knows it:
 *
 *   closed ── open ──► up ── its NIC is reset: DEVICE_FATAL ──► fatal ── close ──► closed, and open again
 *
 * While it is fatal all that was made on it is dead: nothing of it works any more, waits end, and only closing is left.
 */

import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { DeviceFatalError } from './hostErrors.ts';

type State = 'closed' | 'up' | 'fatal';

export class DeviceLife {
  readonly #host: number;
  #state: State = 'closed';
  #since: SimTime = 0;

  constructor(host: number) {
    this.#host = host;
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  get isFatal(): boolean {
    return this.#state === 'fatal';
  }

  /** @throws DeviceFatalError while the device is fatal. */
  check(): void {
    if (this.#state === 'fatal') throw new DeviceFatalError(this.#host, this.#since);
  }

  opens(): void {
    this.#state = 'up';
  }

  fails(time: SimTime): void {
    this.#state = 'fatal';
    this.#since = time;
  }

  closes(): void {
    this.#state = 'closed';
  }
}
