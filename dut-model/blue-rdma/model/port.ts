/** The way out: the link, or the NIC's own receiver in loopback; for debugging it loses frames (blue-rdma.md section 3). */
import { FastStream } from '../../../uvm/random/randomStream.ts';
import type { Frame } from '../../nic.ts';
import type { BlueCore } from './core.ts';
import type { DebugSettings } from './registers.ts';

export class Port {
  /** Both set once after construction. */
  debug!: DebugSettings;
  receive!: (frame: Frame) => void;
  readonly #core: BlueCore;
  #draws: FastStream | null = null;
  #seed = 0;

  constructor(core: BlueCore) {
    this.#core = core;
  }

  /** Sends a frame, which is the port's from here on. */
  send(frame: Frame): void {
    if (this.debug.lossThreshold !== 0 && this.#loses()) this.#core.blocks.release(frame.block);
    else if (this.debug.loopback === 0) this.#core.link.send(frame);
    else {
      this.receive(frame);
      this.#core.blocks.release(frame.block);
    }
  }

  #loses(): boolean {
    if (this.#draws === null || this.#seed !== this.debug.lossSeed) {
      this.#seed = this.debug.lossSeed;
      this.#draws = new FastStream([this.#seed, 1, 2, 3]);
    }
    return this.#draws.uint32() < this.debug.lossThreshold >>> 0;
  }
}
