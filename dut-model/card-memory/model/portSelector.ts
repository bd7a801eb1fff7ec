/**
 * Ethernet ports of the card. A queue pair is bound to one of them by its context: its frames bear the address of that port, and
 * leave by it.
 */
import type { Frame, LinkUpstream, NicContext } from '../../nic.ts';
import type { Traffic } from './bankState.ts';

/** Offset of the lower 32 bits of the sender's address in a frame. */
const SENDER_LOW = 8;

export class PortSelector implements LinkUpstream {
  protected readonly context: NicContext;
  protected readonly links: readonly LinkUpstream[];

  readonly #counters: readonly Traffic[];

  /** @param counters by port */
  constructor(context: NicContext, links: readonly LinkUpstream[], counters: readonly Traffic[]) {
    this.context = context;
    this.#counters = counters;
    this.links = links;
  }

  /** When what all ports have to send has left them together: the transmit FIFO is one for all, with room for each. */
  get freeAt(): number {
    const { now } = this.context.scheduler;
    let waiting = 0;
    for (const { freeAt } of this.links) if (freeAt > now) waiting += freeAt - now;
    return now + Math.ceil(waiting / this.links.length);
  }

  acquire(): Frame {
    return (this.links[0] as LinkUpstream).acquire();
  }

  send(frame: Frame): void {
    const port = this.portOf(frame);
    (this.#counters[port] as Traffic).written += frame.length;
    (this.links[port] as LinkUpstream).send(frame);
  }

  /** Index of the port that a frame leaves by; the first one where no port has that address. Overridable for planting. */
  protected portOf(frame: Frame): number {
    const m = this.context.bytes.u8;
    const at = frame.data + SENDER_LOW;
    const low =
      ((m[at] as number) << 24) | ((m[at + 1] as number) << 16) | ((m[at + 2] as number) << 8) | (m[at + 3] as number);
    return Math.max(
      0,
      this.context.ports.findIndex(({ macLow }) => (macLow | 0) === low),
    );
  }
}
