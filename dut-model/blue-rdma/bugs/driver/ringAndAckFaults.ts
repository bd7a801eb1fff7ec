/** Bugs that can be planted in how the driver uses its rings, and how it acknowledges. */
import type { BlueQp } from '../../driver/blueObjects.ts';
import { AckFrame } from '../../driver/rings/ackFrame.ts';
import { ToCardRing } from '../../driver/rings/toCardRing.ts';
import { ToHostRing } from '../../driver/rings/toHostRing.ts';
import { psnAfter } from '../../driver/tracking/psn.ts';
import { Acknowledger } from '../../driver/workers/acknowledger.ts';
import type { DriverFault } from './driverFault.ts';

class ChecksumOff extends AckFrame {
  protected override udpChecksum(): number {
    return super.udpChecksum() ^ 1;
  }
}

class Unsummed extends Acknowledger {
  protected override readonly frame = new ChecksumOff();
}

class AckAhead extends Acknowledger {
  override ack(qp: BlueQp, end: number): void {
    super.ack(qp, psnAfter(end, 1));
  }
}

class Unaligned extends ToCardRing {
  constructor(...[host, register, lo]: ConstructorParameters<typeof ToCardRing>) {
    super(host, register, lo + 512);
  }
}

/** Once in a while. */
const OFTEN = 20;

class HeadTooFar extends ToCardRing {
  #times = 0;
  protected override shown(): number {
    const far = ++this.#times % OFTEN === 0;
    return this.written + (far ? this.depth + 2 : 0);
  }
}

class TailTooFar extends ToHostRing {
  #times = 0;
  protected override freed(taken: number): number {
    return taken + (++this.#times % OFTEN === 0 ? 3 : 0);
  }
}

export const RING_AND_ACK_FAULTS: readonly DriverFault[] = [
  {
    name: 'ack_checksum_wrong',
    part: 'ack-responder',
    description: 'acknowledgements have a wrong UDP checksum',
    breaks: ['B-010'],
    caughtBy: ['BLUE_CHECKSUM'],
    parts: { acknowledger: Unsummed },
  },
  {
    name: 'ack_ahead',
    part: 'ack-responder',
    description: 'acknowledgements name a PSN more than has been received',
    breaks: ['B-022'],
    caughtBy: ['BLUE_ACK'],
    parts: { acknowledger: AckAhead },
  },
  {
    name: 'ring_unaligned',
    part: 'rings',
    description: 'rings to the card begin 512 bytes behind a page',
    breaks: ['B-005'],
    caughtBy: ['BLUE_RING_BASE'],
    parts: { toCardRing: Unaligned },
  },
  {
    name: 'head_too_far',
    part: 'rings',
    description: 'every 20th head shows more than the ring can hold',
    breaks: ['B-002', 'B-003'],
    caughtBy: ['BLUE_RING_HEAD'],
    parts: { toCardRing: HeadTooFar },
  },
  {
    name: 'tail_too_far',
    part: 'rings',
    description: 'every 20th tail gives back three descriptors that were not taken',
    breaks: ['B-002'],
    caughtBy: ['BLUE_RING_TAIL'],
    parts: { toHostRing: TailTooFar },
  },
];
