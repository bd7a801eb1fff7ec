import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { FrameItem } from './linkItems.ts';

/** Changes a private copy of a frame: corruption, congestion marks, truncation. */
export interface FrameEdit {
  /** Edits the `length` bytes at `data` in place. @returns the new length, at most the old one. */
  edit(bytes: ByteStore, data: number, length: number): number;
}

/** What is to happen to one frame. Reused: a hook changes what it wants changed. */
export class LinkVerdict {
  /** Deliver it to nobody. */
  drop = false;
  /** How often it is delivered besides the normal delivery. */
  duplicates = 0;
  /** Extra time, ps. Later frames do not wait, so enough of it reorders. */
  delay = 0;
  /** Extra time of the duplicates, ps, each that much after the one before. */
  duplicateDelay = 0;
  /** Applied to what is delivered, not to what the wire monitor sees: the sender is not to blame. */
  edit: FrameEdit | null = null;
  /** Held until so many later frames of its host have passed to the same place, 0 = not held; */
  holdFrames = 0;
  /** and no longer than this, ps. */
  holdTime = 0;
  /** What is delivered is not what was sent: its receiver will not take it for that. */
  damaged = false;
  /** And the check sequence of its Ethernet frame shows that. */
  fcsError = false;

  /** Back to "deliver it once, as it is". */
  clear(): void {
    this.drop = false;
    this.duplicates = 0;
    this.delay = 0;
    this.duplicateDelay = 0;
    this.edit = null;
    this.holdFrames = 0;
    this.holdTime = 0;
    this.damaged = false;
    this.fcsError = false;
  }
}

/** Where fault rules take hold of frames: called once for each, in the order in which they are sent. */
export interface LinkFaultHook {
  judge(frame: FrameItem, verdict: LinkVerdict): void;
  /** A frame is about to be given to its NIC. @param damaged as its verdict said */
  arrived?(frame: FrameItem, damaged: boolean): void;
  /** What it is that acted on the frame that was judged last, in words. */
  because?(): string;
}
