/** What keys that requests change are told of; they know the state of the oracle themselves (`mkeys/mkeyChecks.ts`). */
import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import type { Message, QueuePair } from './work.ts';

export interface MkeyEvents {
  /** Whether there are any. */
  readonly any: boolean;
  /** A request that changes a key was posted. */
  posted(q: QueuePair, r: Message, wr: SendWr): void;
  /** A SEND with invalidate was posted on `q`, which takes a key from queue pair `dest`. */
  sent(q: QueuePair, r: Message, dest: QueuePair): void;
  /** A request has left its send queue, or a SEND with invalidate has filled its receive. @param status `WC_STATUS` */
  ended(r: Message, status: number): void;
  /** A message of queue pair `q`, of this place in the order, has been taken: what changes keys in front of it has done so. */
  taken(q: QueuePair, order: number): void;
}

export const NO_MKEYS: MkeyEvents = {
  any: false,
  posted: () => undefined,
  sent: () => undefined,
  ended: () => undefined,
  taken: () => undefined,
};
