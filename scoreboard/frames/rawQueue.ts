/** A raw packet queue pair as the judge knows it: frames on their way out, memory for those that come, and frames that have come. */

import type { RawQpInfo } from '../../agents/verbs/verbsItems.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';

/** A frame that software has posted. */
export interface PostedFrame {
  readonly wrId: number;
  readonly slot: number;
  /** As it must be on the wire: what was posted, filled up with zeros to the shortest frame. */
  readonly bytes: Uint8Array;
  /** Why its NIC sends it not: `length`, or `memory` that its keys do not open; '' for one that must leave. */
  readonly unfit: 'length' | 'memory' | '';
  /** It asks for no completion: it has one only if it fails or is flushed. */
  readonly silent: boolean;
  left: boolean;
  done: boolean;
}

/** A piece of memory of a receive. */
export interface FramePiece {
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}

/** Memory that software has posted for a frame. */
export interface PostedBuffer {
  readonly wrId: number;
  readonly slot: number;
  readonly pieces: readonly FramePiece[];
  readonly room: number;
  /** What it held when it was posted. */
  readonly before: Uint8Array;
  /** Its keys open its memory. */
  readonly isFit: boolean;
  /** First block of open ranges of each piece. */
  readonly blocks: readonly number[];
}

/** A frame that has reached the port. */
export interface ArrivedFrame {
  readonly bytes: Uint8Array;
  readonly at: SimTime;
  readonly from: number;
  /** A receive was there for it; without, it may have been dropped. */
  readonly due: boolean;
}

export class RawQueue {
  readonly info: RawQpInfo;
  readonly sends: PostedFrame[] = [];
  readonly receives: PostedBuffer[] = [];
  readonly arrived: ArrivedFrame[] = [];
  /** It is in RTR or beyond: what comes is received. */
  isOpen = false;
  /** Software takes it to ERR or RESET, or an error has: what is posted may be flushed. */
  sendsEnd = false;
  receivesEnd = false;

  constructor(info: RawQpInfo) {
    this.info = info;
  }

  get name(): string {
    return `host ${this.info.host} RAW QP ${this.info.qpn}`;
  }

  /** The next frame that must leave; undefined where none is posted. */
  get nextToLeave(): PostedFrame | undefined {
    return this.sends.find(({ left, done, unfit }) => !left && unfit === '' && !(done && this.sendsEnd));
  }

  /** Of which its completion has come and which has left. */
  forgetDone(): void {
    while (this.sends[0]?.done === true && (this.sends[0].left || this.sends[0].unfit !== '')) this.sends.shift();
  }
}
