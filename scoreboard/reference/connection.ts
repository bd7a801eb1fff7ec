/**
 * One instance of what a flow carries: from the announcement of the queue pair that sends in it until that is reset, or the flow
 * begins anew with the same numbers. What belongs to an instance is here, so that nothing of an earlier one is taken for its own.
 */

import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { ReadRequests } from './reliable/readRequests.ts';
import { SentPackets } from './reliable/sentPackets.ts';

/** A packet that is none of the connection, which an end of it may have taken for one, or answered. */
export type ForeignPacket =
  /** A request of an earlier connection between the same queue pairs. */
  | 'of an earlier connection'
  /** One that no NIC has sent so: injected, or with bytes that were changed on the way. */
  | 'injected';

/** An answer whose invariant CRC is wrong has come to the requester of a connection, which is to drop it. */
export interface DamagedAnswer {
  readonly opcode: number;
  readonly psn: number;
  /** When it arrived, ps. */
  readonly at: number;
}

export class Connection {
  /** Request packets that were sent on it; null before the first, and on unreliable connections. */
  packets: SentPackets | null = null;
  /** READs and atomics that were sent on it; null before the first. */
  reads: ReadRequests | null = null;
  /** What has reached an end of it and is none of its packets: of several the one that leaves less certain. */
  foreign: ForeignPacket | null = null;
  /** A READ was sent on it that is answered in packets of another path MTU: from then on its ends count PSNs differently. */
  countsApart = false;
  /** The latest one; null = none has come. */
  damaged: DamagedAnswer | null = null;
  readonly #mostReads: number | undefined;

  /** @param mostReads READs and atomics beyond which answered ones are dropped; default: that of `ReadRequests` */
  constructor(mostReads?: number) {
    this.#mostReads = mostReads;
  }

  /** A request packet of a reliable connection is sent for the first time; all before `heard` are known to be answered. */
  sends(p: DecodedPacket, heard: number): void {
    this.packets ??= new SentPackets();
    this.packets.first(p, heard);
  }

  /** A READ or atomic that takes `packets` PSNs is sent for the first time. */
  asks(p: DecodedPacket, packets: number, atomic: boolean, heard: number): void {
    this.#readsOf().first(p, packets, atomic, heard);
  }

  /** A READ or atomic is sent again, as a whole or its rest. */
  asksAgain(p: DecodedPacket, packets: number, atomic: boolean): void {
    this.#readsOf().again(p, packets, atomic);
  }

  /** Whether a packet may have been taken at an end of it that nobody has sent so. */
  get isMisled(): boolean {
    return this.foreign === 'injected';
  }

  #readsOf(): ReadRequests {
    this.reads ??= new ReadRequests(this.#mostReads);
    return this.reads;
  }
}
