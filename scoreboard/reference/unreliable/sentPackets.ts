/** Packets of unreliable services on their way, by the tag that their frames carry: what of which message each one is. */

import { type Message, NO_MESSAGE, NO_QP, type QueuePair } from '../../model/work.ts';

export class SentPacket {
  /** The request whose message it belongs to, as of `order`; one that does not exist where that is not known. */
  message: Message = NO_MESSAGE;
  order = 0;
  sender: QueuePair = NO_QP;
  destQp = 0;
  psn = 0;
  /** DETH; UD only. */
  qkey = 0;
  datagram = false;
  starts = false;
  ends = false;
  write = false;
  /** What shows of it where it arrives. */
  opcode = 0;
  immediate = 0;
  payloadLength = 0;
  /** Times that it has still to arrive. */
  copies = 0;
  /** Copies of its message, for each time that the last packet arrives beyond the first. */
  readonly spares: Message[] = [];

  /** The message, if its record still is that of the request; or one that does not exist. */
  get known(): Message {
    const { message, order } = this;
    return message.exists && message.order === order ? message : NO_MESSAGE;
  }
}

export class SentPackets {
  /** By tag; none has tag 0. */
  readonly #packets: SentPacket[] = [new SentPacket()];
  readonly #free: number[] = [];

  /** @returns a tag; its record is to be filled */
  take(): number {
    const tag = this.#free.pop();
    if (tag !== undefined) return tag;
    return this.#packets.push(new SentPacket()) - 1;
  }

  at(tag: number): SentPacket {
    return this.#packets[tag] as SentPacket;
  }

  /** Those of a message that are on their way. Slow. */
  of(message: Message): readonly SentPacket[] {
    return this.#packets.filter(({ known }) => known === message);
  }

  /** No copy of the packet is on its way any more. */
  release(tag: number): void {
    const packet = this.at(tag);
    packet.message = NO_MESSAGE;
    packet.sender = NO_QP;
    packet.spares.length = 0;
    this.#free.push(tag);
  }
}
