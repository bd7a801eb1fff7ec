/** Messages that a queue pair receives, by MSN: they are complete in order, whatever order their packets came in. */
import { msnAfter, msnDistance, psnDistance } from './psn.ts';

/** What a message asks of its receiver. */
export const MESSAGE_KIND = { write: 0, writeImm: 1, send: 2, readRequest: 3, readResponse: 4 } as const;
export type MessageKind = (typeof MESSAGE_KIND)[keyof typeof MESSAGE_KIND];

export class ReceivedMessage {
  readonly msn: number;
  kind: MessageKind = MESSAGE_KIND.write;
  /** Bytes, and where they go; of a READ request, what is asked for. Known from its first packet. */
  total = 0;
  vaHi = 0;
  vaLo = 0;
  key = 0;
  /** Of a READ request: where the requester wants it. */
  localHi = 0;
  localLo = 0;
  localKey = 0;
  /** PSN behind its last packet, once that has come. */
  end = -1;
  begun = false;
  ackRequest = false;
  solicited = false;
  withImm = false;
  imm = 0;

  constructor(msn: number) {
    this.msn = msn;
  }
}

export class ReceivedMessages {
  /** MSN of the next message to be complete. */
  next = 0;
  readonly #open = new Map<number, ReceivedMessage>();

  /** True for a message that was complete before. */
  isOld(msn: number): boolean {
    return msnDistance(this.next, msn) < 0;
  }

  /** The message with a number that is not old. */
  at(msn: number): ReceivedMessage {
    let message = this.#open.get(msn);
    if (message === undefined) {
      message = new ReceivedMessage(msn);
      this.#open.set(msn, message);
    }
    return message;
  }

  /** Takes the next message if it is complete. @param base first PSN that is missing */
  take(base: number): ReceivedMessage | null {
    const message = this.#open.get(this.next);
    if (message === undefined || message.end < 0 || !message.begun) return null;
    if (psnDistance(message.end, base) < 0) return null;
    this.#open.delete(this.next);
    this.next = msnAfter(this.next, 1);
    return message;
  }
}
