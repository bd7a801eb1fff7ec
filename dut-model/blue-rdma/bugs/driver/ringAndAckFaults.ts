/** Bugs that can be planted in how the driver uses its rings, and how it acknowledges. */
import type { BlueQp } from '../../driver/blueObjects.ts';
import { AckFrame } from '../../driver/rings/ackFrame.ts';
import { ToCardRing } from '../../driver/rings/toCardRing.ts';
import { ToHostRing } from '../../driver/rings/toHostRing.ts';
import { psnAfter } from '../../driver/tracking/psn.ts';
import { Acknowledger } from '../../driver/workers/acknowledger.ts';
import { driverFaultsOf } from './driverFault.ts';
import { RING_AND_ACK_ROWS } from './rows/ringAndAckRows.ts';

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

export const RING_AND_ACK_FAULTS = driverFaultsOf(RING_AND_ACK_ROWS, {
  ack_checksum_wrong: { acknowledger: Unsummed },
  ack_ahead: { acknowledger: AckAhead },
  ring_unaligned: { toCardRing: Unaligned },
  head_too_far: { toCardRing: HeadTooFar },
  tail_too_far: { toHostRing: TailTooFar },
});
