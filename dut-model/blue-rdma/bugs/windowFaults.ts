/** Bugs in the bitmap and in what is reported of it. */
import { psnAdd } from '../../roce/psn.ts';
import { FrameWriter } from '../model/frameWriter.ts';
import { ControlUnit } from '../model/controlUnit.ts';
import { PsnWindows, WINDOW_STEP } from '../model/psnWindows.ts';
import { PACKET_KIND, type ReceivedPacket } from '../model/receivedPacket.ts';
import { ReceiveUnit } from '../model/receiveUnit.ts';
import { blueFaultsOf } from './blueFault.ts';
import { WINDOW_ROWS } from './rows/windowRows.ts';

const WINDOW_STRIDES = 8;

/** A step of a whole window does not fit the width of the shift. */
class ShiftCut extends PsnWindows {
  protected override slide(index: number, delta: number): boolean {
    return delta === WINDOW_STRIDES ? false : super.slide(index, delta);
  }
}

/** Whatever was there is taken for lost when the window moves on as a whole. */
class WholeLost extends PsnWindows {
  protected override slide(index: number, delta: number): boolean {
    return super.slide(index, delta) || delta >= WINDOW_STRIDES;
  }
}

/** What was never seen between two windows is not missed. */
class GapForgiven extends PsnWindows {
  protected override slide(index: number, delta: number): boolean {
    return delta <= WINDOW_STRIDES && super.slide(index, delta);
  }
}

/** The first stride that leaves is not looked at. */
class FirstForgiven extends PsnWindows {
  protected override slide(index: number, delta: number): boolean {
    if (delta > 1) return super.slide(index, delta);
    this.shift(index, delta);
    return false;
  }
}

/** After its first loss a queue pair says nothing of others. */
class OnceOnly extends ReceiveUnit {
  readonly #told = new Set<number>();
  protected override loss(index: number): void {
    if (!this.#told.has(index)) super.loss(index);
    this.#told.add(index);
  }
}

class NeverIdle extends ReceiveUnit {
  protected override reportWindow(): void {}
}

/** READ requests leave a hole. */
class ReadsUnmarked extends ReceiveUnit {
  protected override mark(index: number, p: ReceivedPacket): number {
    return p.kind === PACKET_KIND.readRequest ? WINDOW_STEP.behind : super.mark(index, p);
  }
}

class EmptyUnmarked extends ReceiveUnit {
  protected override mark(index: number, p: ReceivedPacket): number {
    const isEmpty = p.bytes === 0 && p.kind !== PACKET_KIND.readRequest;
    return isEmpty ? WINDOW_STEP.behind : super.mark(index, p);
  }
}

/** The bit of the next packet is set. */
class NextMarked extends ReceiveUnit {
  protected override mark(index: number, p: ReceivedPacket): number {
    return (p.psn & 31) === 7
      ? super.mark(index, { ...p, psn: psnAdd(p.psn, 1) } as ReceivedPacket)
      : super.mark(index, p);
  }
}

class SequenceStuck extends ReceiveUnit {
  protected override nextSequence(): number {
    return 0;
  }
}

class PeerUntold extends ControlUnit {
  override lost(): void {}
}

class WordsReversed extends FrameWriter {
  protected override wordAt(word: number): number {
    return word;
  }
}

export const WINDOW_FAULTS = blueFaultsOf(WINDOW_ROWS, {
  window_shift_cut: { windows: ShiftCut },
  window_whole_lost: { windows: WholeLost },
  window_gap_forgiven: { windows: GapForgiven },
  window_stride_forgiven: { windows: FirstForgiven },
  loss_told_once: { receive: OnceOnly },
  idle_report_missing: { receive: NeverIdle },
  read_request_unmarked: { receive: ReadsUnmarked },
  empty_packet_unmarked: { receive: EmptyUnmarked },
  next_psn_marked: { receive: NextMarked },
  loss_sequence_stuck: { receive: SequenceStuck },
  peer_not_told_of_loss: { control: PeerUntold },
  bitmap_words_reversed: { writer: WordsReversed },
});
