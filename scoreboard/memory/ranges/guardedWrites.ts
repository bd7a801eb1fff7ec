/** Shows the DMA writes of one host to the guard. */

import type { Subscriber } from '../../../uvm/tlm/analysisPort.ts';
import type { DmaWrite } from '../scoreboardMemory.ts';
import type { WriteGuard } from './writeGuard.ts';

/** A class, so that the engine knows what it calls: there are many writes to a request. */
export class GuardedWrites implements Subscriber<DmaWrite> {
  readonly #guard: WriteGuard;
  readonly #host: number;
  readonly #on: boolean;

  /** @param on false = writes are not checked */
  constructor(guard: WriteGuard, host: number, on: boolean) {
    this.#guard = guard;
    this.#host = host;
    this.#on = on;
  }

  write(write: DmaWrite): void {
    if (this.#on === true) this.#guard.write(this.#host, write);
  }
}
