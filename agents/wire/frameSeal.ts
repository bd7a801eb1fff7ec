/**
 * Which frames their headers and their invariant CRC tell apart from all others: those whose CRC is right and reaches to
 * the end of the frame. Whoever wants to know what was sent need not look at the payload of these.
 */

import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { DecodedPacket, PACKET } from './decodedPacket.ts';
import { WireDecoder } from './wireDecoder.ts';
import { PROBLEM } from './wireRules.ts';

/** Bytes of a frame from its beginning on that hold all headers that a packet can have. */
export const HEADER_BYTES = 128;

/** What is known of a frame. */
export const SEAL = { unknown: 0, right: 1, none: 2 } as const;
export type Seal = (typeof SEAL)[keyof typeof SEAL];

/** The seal of a frame that has been decoded. */
export function sealOf(p: DecodedPacket): Seal {
  if (p.kind !== PACKET.roce || (p.problems & PROBLEM.icrc) !== 0) return SEAL.none;
  const end = p.payload + p.payloadLength + p.padCount + 4;
  return end === p.frame + p.frameLength ? SEAL.right : SEAL.none;
}

/** Looks at frames that nobody else has decoded. */
export class SealCheck {
  readonly #decoder: WireDecoder;
  readonly #packet = new DecodedPacket();

  constructor(bytes: ByteStore) {
    this.#decoder = new WireDecoder(bytes);
  }

  /** @param data byte-store offset of the frame */
  look(data: number, length: number): Seal {
    this.#decoder.decode(data, length, this.#packet);
    return sealOf(this.#packet);
  }
}
