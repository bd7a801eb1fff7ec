/**
 * Decodes the frames of a capture by the decoder of the wire monitor. A frame of which less was captured than was on the link is
 * judged by what there is: its headers, if they are all there, but neither its invariant CRC nor its pad.
 */

import type { CaptureFrame } from '../../agents/link/capture/captureFrame.ts';
import { type DecodedPacket, PACKET } from '../../agents/wire/decodedPacket.ts';
import { WireDecoder } from '../../agents/wire/wireDecoder.ts';
import { PROBLEM } from '../../agents/wire/wireRules.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** More than the longest frame of RoCEv2: of a longer one the beginning shows what it is. */
const LONGEST_FRAME = 1 << 16;
const CHECK_SEQUENCE = 4;
const SHORTEST_FRAME = 60;
const ETHERNET_HEADER = 14;
/** Of a frame that was cut off nobody can say whether they are broken. */
const OF_WHOLE_FRAMES = PROBLEM.icrc | PROBLEM.pad | PROBLEM.udpChecksum;

export class CaptureDecoder {
  readonly bytes: ByteStore;
  readonly #decoder: WireDecoder;
  readonly #frame: number;

  constructor(bytes: ByteStore) {
    this.bytes = bytes;
    this.#decoder = new WireDecoder(bytes);
    this.#frame = bytes.alloc(LONGEST_FRAME + CHECK_SEQUENCE, 4);
  }

  /**
   * Fields `host` and `to` are the caller's.
   * @returns false for a RoCEv2 packet of which too little was captured to say what it is
   */
  decode({ bytes, length, time }: CaptureFrame, p: DecodedPacket): boolean {
    const onLink = Math.min(length, LONGEST_FRAME);
    const captured = Math.min(bytes.length, onLink);
    this.bytes.u8.set(captured < bytes.length ? bytes.subarray(0, captured) : bytes, this.#frame);
    if (captured < onLink) this.bytes.zero(this.#frame + captured, onLink - captured);
    p.time = time;
    p.handedOver = time;
    if (captured < ETHERNET_HEADER) {
      p.kind = PACKET.other;
      return true;
    }
    this.#decoder.decode(this.#frame, onLink, p);
    if (p.kind === PACKET.other) return true;
    if (captured < onLink) return this.#cutOff(p, captured);
    this.#unjudged(p, onLink);
    return true;
  }

  #cutOff(p: DecodedPacket, captured: number): boolean {
    p.problems &= ~OF_WHOLE_FRAMES;
    p.icrc = 0;
    p.icrcExpected = 0;
    return p.kind === PACKET.roce && p.payload - p.frame <= captured;
  }

  /** Who captures within a host sees no Ethernet padding yet; some keep the frame check sequence. */
  #unjudged(p: DecodedPacket, length: number): void {
    if ((p.problems & PROBLEM.frame) === 0) return;
    const end = p.payload + p.payloadLength + p.padCount + CHECK_SEQUENCE;
    const behind = p.frame + length - end;
    const isWhole = p.kind === PACKET.roce && behind === CHECK_SEQUENCE && this.#isCheckSequence(p.frame, end);
    if ((length < SHORTEST_FRAME && behind === 0) || isWhole) p.problems &= ~PROBLEM.frame;
  }

  #isCheckSequence(frame: number, end: number): boolean {
    const { bytes } = this;
    const found = new DataView(bytes.u8.buffer).getUint32(end, true);
    return bytes.crc32(0, frame, end - frame) >>> 0 === found;
  }
}
