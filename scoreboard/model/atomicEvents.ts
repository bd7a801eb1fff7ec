/** What the rest of the judge tells the room of atomics. */

import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import type { WirePacket } from './wirePacket.ts';
import type { Message } from './work.ts';

export interface AtomicEvents {
  /** Whether any was posted: cheap, for every packet and write. */
  readonly any: boolean;
  /** An atomic was posted; where it must be refused its request has no remote space. */
  posted(r: Message, wr: SendWr): void;
  /** What the request lacked when it was posted its peer permits now, or may: it may be executed. */
  granted(r: Message): void;
  /** Its word is open for its NIC. */
  opened(r: Message): void;
  /** Its packet is sent for the first time. @returns what of its operands is not as posted */
  sent(r: Message, p: WirePacket): string | undefined;
  /** It is about to be retired. @returns whether `block`, which it opened, stays open until nothing is in flight */
  keeps(r: Message, block: number): boolean;
  /** It has its completion, or will have none. Its local list is closed. */
  retired(r: Message, ok: boolean): void;
  /** Nothing is in flight. @returns blocks that stay open no longer */
  lingering(): readonly number[];
  /** The NIC of a host, or software, has written [from, to) of a page as of `DataPages`. */
  written(page: number, from: number, to: number): void;
  hostWritten(page: number, from: number, to: number): void;
}

/** Nobody judges atomics. */
export const NO_ATOMICS: AtomicEvents = {
  any: false,
  posted: () => {},
  granted: () => {},
  opened: () => {},
  sent: () => undefined,
  keeps: () => false,
  retired: () => {},
  lingering: () => [],
  written: () => {},
  hostWritten: () => {},
};
