import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';

const SLOTS = 1 << 15;
/** Slots that come into being together: packets of one flow lie side by side. */
const BLOCK_BITS = 8;
const BLOCK_SLOTS = 1 << BLOCK_BITS;
/** A block in which nothing was noted. */
const NONE = -1;
const FIRST_BLOCKS = 4;
/** Words of an entry; the last two hold its time. */
const ENTRY_WORDS = 8;
const FLOW_WORD = 0;
const PSN_WORD = 1;
const SHAPE_WORD = 2;
const ICRC_WORD = 3;
const VARYING_WORD = 4;
/** Copies of the packet that may be under way. */
const COPIES_WORD = 5;
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
 * entry may be overwritten by another packet's, and then that packet's retransmission goes unchecked. Only the parts of
 * the table that were used exist: most runs are short and have few flows.
 */
export class RetryCache {
  /** Of flow and PSN, the flow plus one, so that empty entries are those of no flow. */
  #words = new Int32Array(FIRST_BLOCKS * BLOCK_SLOTS * ENTRY_WORDS);
  #times = new Float64Array(this.#words.buffer);
  /** Entry with which each block begins. */
  readonly #begins = new Int32Array(SLOTS / BLOCK_SLOTS).fill(NONE);
  /** Entries of all blocks so far. */
  #entries = 0;

  /** Notes a packet sent for the first time. `generation` tells the connections of a flow apart. */
  note(flow: number, generation: number, p: DecodedPacket): void {
    const at = slot(flow, p.psn);
    const begin = this.#begins[at >> BLOCK_BITS] as number;
    const entry = (begin === NONE ? this.#extend(at >> BLOCK_BITS) : begin) + (at & (BLOCK_SLOTS - 1));
    const i = entry * ENTRY_WORDS;
    const w = this.#words;
    w[i + FLOW_WORD] = flow + 1;
    w[i + PSN_WORD] = p.psn | (generation << 24);
    w[i + SHAPE_WORD] = shapeOf(p);
    w[i + ICRC_WORD] = p.icrc;
    w[i + VARYING_WORD] = varyingOf(p);
    w[i + COPIES_WORD] = 1;
    this.#times[entry * (ENTRY_WORDS / 2) + TIME] = p.handedOver;
  }

  /** Entry of a packet, -1 when it is not remembered. */
  find(flow: number, generation: number, psn: number): number {
    const at = slot(flow, psn);
    const begin = this.#begins[at >> BLOCK_BITS] as number;
    if (begin === NONE) return -1;
    const w = this.#words;
    const entry = begin + (at & (BLOCK_SLOTS - 1));
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

  /** The same; also -1 where more than one copy of it may be under way. */
  onlySentAt(flow: number, generation: number, psn: number): number {
    const entry = this.find(flow, generation, psn);
    if (entry < 0 || (this.#words[entry * ENTRY_WORDS + COPIES_WORD] as number) > 1) return -1;
    return this.#times[entry * (ENTRY_WORDS / 2) + TIME] as number;
  }

  /** The packet of an entry is sent again, at `time`. */
  again(entry: number, time: number): void {
    this.#times[entry * (ENTRY_WORDS / 2) + TIME] = time;
    this.repeated(entry);
  }

  /** It arrives once more, or was sent once more. */
  repeated(entry: number): void {
    const i = entry * ENTRY_WORDS + COPIES_WORD;
    this.#words[i] = (this.#words[i] as number) + 1;
  }

  /** A copy of a packet was refused: it is no more under way. */
  refused(flow: number, generation: number, psn: number): void {
    const entry = this.find(flow, generation, psn);
    if (entry < 0) return;
    const i = entry * ENTRY_WORDS + COPIES_WORD;
    this.#words[i] = Math.max(0, (this.#words[i] as number) - 1);
  }

  /** @returns the entry with which the new block begins */
  #extend(block: number): number {
    const begin = this.#entries;
    this.#begins[block] = begin;
    this.#entries += BLOCK_SLOTS;
    if (this.#entries * ENTRY_WORDS > this.#words.length) {
      const wider = new Int32Array(2 * this.#words.length);
      wider.set(this.#words);
      this.#words = wider;
      this.#times = new Float64Array(wider.buffer);
    }
    return begin;
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
