/**
 * The lives of the NICs, as far as the judge is told of them:
 *
 *   up ── the NIC is reset ──► settling ── all that it had sent has arrived ──► silent ── software opens it ──► up
 *
 * While it is settling or silent a NIC has no context of anything: it sends nothing, answers nothing, and touches no memory. What it had
 * sent before is judged as ever. Nothing is expected of it, nor of queue pairs that it had.
 */

import type { SimTime } from '../../uvm/kernel/scheduler.ts';

type Phase = 'up' | 'settling' | 'silent';

export class DeviceLife {
  readonly host: number;
  /** When it was reset last, ps; -1 = never. */
  resetAt: SimTime = -1;
  #phase: Phase = 'up';

  constructor(host: number) {
    this.host = host;
  }

  get isUp(): boolean {
    return this.#phase === 'up';
  }

  /** Nothing of it is under way, and its memory changes no more. */
  get isSilent(): boolean {
    return this.#phase === 'silent';
  }

  reset(time: SimTime): void {
    this.resetAt = time;
    this.#phase = 'settling';
  }

  settled(): void {
    if (this.#phase === 'settling') this.#phase = 'silent';
  }

  opens(): void {
    this.#phase = 'up';
  }
}

/** Those of all hosts. */
export class DeviceLives {
  /** Some NIC has been reset: all that costs a run without. */
  any = false;
  readonly #lives: DeviceLife[] = [];

  of(host: number): DeviceLife {
    let life = this.#lives[host];
    if (life === undefined) {
      life = new DeviceLife(host);
      this.#lives[host] = life;
    }
    return life;
  }

  /** The NIC of a host is reset. */
  reset(host: number, time: SimTime): void {
    this.any = true;
    this.of(host).reset(time);
  }
}
