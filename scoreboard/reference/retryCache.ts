import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';

const SLOTS = 1 << 15;
/** Words of an entry; the last two hold its time. */
const ENTRY_WORDS = 8;
const FLOW_WORD = 0;
const PSN_WORD = 1;
const SHAPE_WORD = 2;
const ICRC_WORD = 3;
const VARYING_WORD = 4;
const TIME = 3;

/** Fields of `varyingOf`: what may be another in a retransmission, although the invariant CRC covers it. */
export const VARYING = {
  ackRequest: 1,
  ipv6: 2,
  /** UDP source port, 14 bits above 0xC000. */
  portShift: 2,
  portMask: 0x3fff,
  identificationShift: 16,
} as const;

/**
 * Remembers of recent request packets what a retransmission must repeat. One direct-mapped table for all flows: an
 * entry may be overwritten by another packet's, and then that packet's retransmission goes unchecked.
 */
export class RetryCache {
  /** Of flow and PSN, the flow plus one, so that empty entries are those of no flow. */
  readonly #words = new Int32Array(SLOTS * ENTRY_WORDS);
  readonly #times = new Float64Array(this.#words.buffer);

  /** Notes a packet sent for the first time. `generation` tells the connections of a flow apart. */
  note(flow: number, generation: number, p: DecodedPacket): void {
    const w = this.#words;
    const entry = slot(flow, p.psn);
    const i = entry * ENTRY_WORDS;
    w[i + FLOW_WORD] = flow + 1;
    w[i + PSN_WORD] = p.psn | (generation << 24);
    w[i + SHAPE_WORD] = shapeOf(p);
    w[i + ICRC_WORD] = p.icrc;
    w[i + VARYING_WORD] = varyingOf(p);
    this.#times[entry * (ENTRY_WORDS / 2) + TIME] = p.handedOver;
  }

  /** Entry of a packet, -1 when it is not remembered. */
  find(flow: number, generation: number, psn: number): number {
    const w = this.#words;
    const entry = slot(flow, psn);
    const i = entry * ENTRY_WORDS;
    return w[i + FLOW_WORD] === flow + 1 && w[i + PSN_WORD] === (psn | (generation << 24)) ? entry : -1;
  }

  /** Opcode and payload length of an entry's packet, as `shapeOf` gives them. */
  shape(entry: number): number {
    return this.#words[entry * ENTRY_WORDS + SHAPE_WORD] as number;
  }

  /** Invariant CRC of the first transmission. */
  icrc(entry: number): number {
    return this.#words[entry * ENTRY_WORDS + ICRC_WORD] as number;
  }

  /** `VARYING` fields of the first transmission. */
  varying(entry: number): number {
    return this.#words[entry * ENTRY_WORDS + VARYING_WORD] as number;
  }

  /** When the packet was sent last; -1 when it is not remembered. */
  sentAt(flow: number, generation: number, psn: number): number {
    const entry = this.find(flow, generation, psn);
    return entry < 0 ? -1 : (this.#times[entry * (ENTRY_WORDS / 2) + TIME] as number);
  }

  /** The packet of an entry is sent again, at `time`. */
  again(entry: number, time: number): void {
    this.#times[entry * (ENTRY_WORDS / 2) + TIME] = time;
  }
}

/** Opcode and payload length in one number. */
export function shapeOf(p: DecodedPacket): number {
  return (p.opcode << 16) | p.payloadLength;
}

/** The `VARYING` fields of a packet. */
export function varyingOf(p: DecodedPacket): number {
  const port = (p.sourcePort & VARYING.portMask) << VARYING.portShift;
  const bits = (p.ackRequest ? VARYING.ackRequest : 0) | (p.ipVersion === 6 ? VARYING.ipv6 : 0);
  return (p.identification << VARYING.identificationShift) | port | bits;
}

function slot(flow: number, psn: number): number {
  return (Math.imul(flow, 0x9e3779b1) + psn) & (SLOTS - 1);
}
