/** Bugs in the bitmap and in what is reported of it. */
import { psnAdd } from '../../roce/psn.ts';
import { FrameWriter } from '../model/frameWriter.ts';
import { ControlUnit } from '../model/controlUnit.ts';
import { PsnWindows, WINDOW_STEP } from '../model/psnWindows.ts';
import { PACKET_KIND, type ReceivedPacket } from '../model/receivedPacket.ts';
import { ReceiveUnit } from '../model/receiveUnit.ts';
import type { BlueFault } from './blueFault.ts';

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

export const WINDOW_FAULTS: readonly BlueFault[] = [
  {
    name: 'window_shift_cut',
    block: 'bitmap',
    description: 'when the window moves on by exactly its own size, nothing is shifted and nothing lost',
    breaks: ['B-016', 'B-017'],
    caughtBy: ['SCB_DATA', 'BLUE_WINDOW'],
    needs: ['+MTU=256', '+LOSS_PCT=20', '+LOSS_BURST=120', '--seed', '2'],
    blocks: { windows: ShiftCut },
  },
  {
    name: 'window_whole_lost',
    block: 'bitmap',
    description: 'when the window moves on by exactly its own size, all of it counts as lost',
    breaks: ['B-017'],
    caughtBy: ['BLUE_NAK'],
    needs: ['+MTU=256', '+LOSS_PCT=20', '+LOSS_BURST=120'],
    blocks: { windows: WholeLost },
  },
  {
    name: 'window_gap_forgiven',
    block: 'bitmap',
    description: 'packets between two windows that were never seen do not count as lost',
    breaks: ['B-017'],
    caughtBy: ['BLUE_WINDOW'],
    needs: ['+DATA_CNT=60000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=20', '+LOSS_BURST=60', '+STALL_TIME=1s'],
    blocks: { windows: GapForgiven },
  },
  {
    name: 'window_stride_forgiven',
    block: 'bitmap',
    description: 'a hole in a stride that leaves the window alone is not reported',
    breaks: ['B-017', 'B-022'],
    caughtBy: ['SCB_DATA'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { windows: FirstForgiven },
  },
  {
    name: 'loss_told_once',
    block: 'receive pipeline',
    description: 'a queue pair reports its first loss only',
    breaks: ['B-017', 'B-018'],
    caughtBy: ['SCB_DATA'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: OnceOnly },
  },
  {
    name: 'idle_report_missing',
    block: 'receive pipeline',
    description: 'bitmaps of idle queue pairs are not reported',
    breaks: ['B-018'],
    caughtBy: ['BLUE_IDLE'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+ACK_TIMEOUT=12', '+STALL_TIME=1s'],
    blocks: { receive: NeverIdle },
  },
  {
    name: 'read_request_unmarked',
    block: 'receive pipeline',
    description: 'READ requests set no bit of the bitmap',
    breaks: ['B-016', 'B-017'],
    caughtBy: ['BLUE_MISSED'],
    needs: ['+DATA_CNT=60000', '+MTU=256', '+RC_QP_NUM=2', '+DB_NUM=6'],
    blocks: { receive: ReadsUnmarked },
  },
  {
    name: 'empty_packet_unmarked',
    block: 'receive pipeline',
    description: 'packets without payload set no bit of the bitmap',
    breaks: ['B-016'],
    blocks: { receive: EmptyUnmarked },
  },
  {
    name: 'next_psn_marked',
    block: 'receive pipeline',
    description: 'one packet in 32 sets the bit of the packet behind it',
    breaks: ['B-016', 'B-022'],
    caughtBy: ['BLUE_WINDOW'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: NextMarked },
  },
  {
    name: 'loss_sequence_stuck',
    block: 'receive pipeline',
    description: 'every report of a loss has the number 0',
    breaks: ['B-017'],
    caughtBy: ['BLUE_NAK'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { receive: SequenceStuck },
  },
  {
    name: 'peer_not_told_of_loss',
    block: 'control packets',
    description: 'a loss is reported to the own driver only',
    breaks: ['B-017'],
    caughtBy: ['BLUE_UNTOLD'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { control: PeerUntold },
  },
  {
    name: 'bitmap_words_reversed',
    block: 'frame builder',
    description: 'bitmaps go out with their lowest word first',
    breaks: ['B-017', 'B-021'],
    caughtBy: ['BLUE_WINDOW'],
    needs: ['+DATA_CNT=20000', '+MTU=256', '+RC_QP_NUM=2', '+LOSS_PCT=5', '+STALL_TIME=1s'],
    blocks: { writer: WordsReversed },
  },
];
