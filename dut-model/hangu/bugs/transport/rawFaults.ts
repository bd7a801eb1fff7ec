/** Bugs of raw packet queue pairs: frames that software builds. */
import { Gather } from '../../model/memory/gather.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { FrameReceiver } from '../../model/transport/frameReceiver.ts';
import type { Frame } from '../../../nic.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { MIN_FRAME } from '../../../roce/frameLayout.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { RAW_ROWS } from './rows/rawRows.ts';

const FCS_BYTES = 4;

/** Fills short frames up with what their block held before. */
class DirtyFill extends Gather {
  protected override closeRaw(data: number, end: number): number {
    const length = Math.max(end - data, MIN_FRAME);
    for (let at = end; at < data + length; at++) this.core.bytes.u8[at] = 0xa5;
    return length;
  }
}

/** Sends frames of any length. */
class AnyLength extends SendQueue {
  protected override isFrame(): boolean {
    return true;
  }
}

/** Takes frames for every port. */
class Promiscuous extends FrameReceiver {
  protected override isForPort(): boolean {
    return true;
  }
}

/** Tells the length with the check sequence, which is not there. */
class WithCheckSequence extends FrameReceiver {
  protected override bytesOf(p: RxPacket): number {
    return super.bytesOf(p) + FCS_BYTES;
  }
}

/** Loses every fifth frame. */
class LosesFrames extends FrameReceiver {
  readonly #turn = new Every(5);
  override accepts(frame: Frame): boolean {
    return super.accepts(frame) && !this.#turn.hit();
  }
}

export const RAW_FAULTS = faultsOf(RAW_ROWS, {
  raw_fill_dirty: planted({ gather: DirtyFill }),
  raw_length_unchecked: planted({ sendQueue: AnyLength }),
  raw_promiscuous: planted({ frames: Promiscuous }),
  raw_counts_fcs: planted({ frames: WithCheckSequence }),
  raw_lost: planted({ frames: LosesFrames }),
});
