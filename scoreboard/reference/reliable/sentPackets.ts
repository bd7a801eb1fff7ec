/**
 * The request packets of one connection, by PSN: what a retransmission of each must repeat, when each was sent last, and how many
 * copies of it may be under way (roce-transport.md 3.8). A packet is dropped when its requester has heard its answer and others
 * have been sent since.
 */

import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { PSN_MASK } from '../../../rdma/bth.ts';
import { psnCompare } from '../../../agents/wire/psnArithmetic.ts';

/** Packets of a connection that stay after their answer was heard: its NIC may have prepared a retransmission by then. */
const KEPT = 32;
/** Packets of a connection that are remembered at most. The retransmission of an older one goes unchecked. */
const MOST = 1 << 15;
const FIRST_CAPACITY = 8;
const NOT_KNOWN = -1;

/** Numbers of a packet, from index `place * FIELDS`: an object for each packet would cost more than the rest of its checks. */
const FIELDS = 6;
const FIELD = { psn: 0, shape: 1, icrc: 2, varying: 3, copies: 4, sentAt: 5 } as const;

/** Fields of `varyingOf`: what may be another in a retransmission, although the invariant CRC covers it. */
export const VARYING = {
  ackRequest: 1,
  ipv6: 2,
  /** UDP source port, 14 bits above 0xC000. */
  portShift: 2,
  portMask: 0x3fff,
  identificationShift: 16,
} as const;

export class SentPackets {
  /** A ring: packets in order of their PSNs, the oldest at `#oldest`. */
  #fields = new Float64Array(FIRST_CAPACITY * FIELDS);
  #oldest = 0;
  #count = 0;

  /** Packets that are remembered. */
  get size(): number {
    return this.#count;
  }

  /** A packet is sent for the first time; all before `heard` are known to be answered. */
  first(p: DecodedPacket, heard: number): void {
    while (this.#count >= KEPT && psnCompare(this.#psnOf(this.#oldest), heard) < 0) this.#dropOldest();
    // PSNs come round: what lies more than half of them back is not told from what is to come.
    while (this.#count > 0 && psnCompare(this.#psnOf(this.#oldest), p.psn) >= 0) this.#dropOldest();
    if (this.#count === MOST) this.#dropOldest();
    if (this.#count * FIELDS === this.#fields.length) this.#widen();
    const f = this.#fields;
    const i = this.#place(this.#count++) * FIELDS;
    f[i + FIELD.psn] = p.psn;
    f[i + FIELD.shape] = shapeOf(p);
    f[i + FIELD.icrc] = p.icrc;
    f[i + FIELD.varying] = varyingOf(p);
    f[i + FIELD.copies] = 1;
    f[i + FIELD.sentAt] = p.handedOver;
  }

  /** Place of a packet, -1 when it is not remembered. It holds until the next packet is sent for the first time. */
  find(psn: number): number {
    if (this.#count === 0) return NOT_KNOWN;
    const distance = this.#distanceOf(psn);
    // A packet takes one PSN at least, and most take no more: this is its place then, and else it is before that.
    let last = Math.min(distance, this.#count - 1);
    let first = 0;
    if (this.#psnOf(this.#place(last)) === psn) return this.#place(last);
    while (first < last) {
      const middle = (first + last) >> 1;
      if (this.#distanceOf(this.#psnOf(this.#place(middle))) < distance) first = middle + 1;
      else last = middle;
    }
    return this.#psnOf(this.#place(first)) === psn ? this.#place(first) : NOT_KNOWN;
  }

  /** Opcode and payload length of the first transmission, as `shapeOf` gives them. */
  shape(place: number): number {
    return this.#fields[place * FIELDS + FIELD.shape] as number;
  }

  /** Invariant CRC of the first transmission. */
  icrc(place: number): number {
    return this.#fields[place * FIELDS + FIELD.icrc] as number;
  }

  /** `VARYING` fields of the first transmission. */
  varying(place: number): number {
    return this.#fields[place * FIELDS + FIELD.varying] as number;
  }

  /** When a packet was handed over last, ps; -1 when it is not remembered. */
  sentAt(psn: number): number {
    const place = this.find(psn);
    return place < 0 ? NOT_KNOWN : (this.#fields[place * FIELDS + FIELD.sentAt] as number);
  }

  /** The same; also -1 where more than one copy of it may be under way. */
  onlySentAt(psn: number): number {
    const place = this.find(psn);
    if (place < 0 || (this.#fields[place * FIELDS + FIELD.copies] as number) > 1) return NOT_KNOWN;
    return this.#fields[place * FIELDS + FIELD.sentAt] as number;
  }

  /** The packet is sent again, at `time`. */
  again(place: number, time: number): void {
    this.#fields[place * FIELDS + FIELD.sentAt] = time;
    this.repeated(place);
  }

  /** Another copy of the packet is under way. */
  repeated(place: number): void {
    const i = place * FIELDS + FIELD.copies;
    this.#fields[i] = (this.#fields[i] as number) + 1;
  }

  /** A copy of the packet was refused: it is no more under way. */
  refused(psn: number): void {
    const place = this.find(psn);
    if (place < 0) return;
    const i = place * FIELDS + FIELD.copies;
    this.#fields[i] = Math.max(0, (this.#fields[i] as number) - 1);
  }

  /** Place of the packet no. `n`, from the oldest on. */
  #place(n: number): number {
    return (this.#oldest + n) & (this.#fields.length / FIELDS - 1);
  }

  #psnOf(place: number): number {
    return this.#fields[place * FIELDS + FIELD.psn] as number;
  }

  /** PSNs from the oldest packet to this one. */
  #distanceOf(psn: number): number {
    return (psn - this.#psnOf(this.#oldest)) & PSN_MASK;
  }

  #dropOldest(): void {
    this.#oldest = this.#place(1);
    this.#count--;
  }

  #widen(): void {
    const wider = new Float64Array(2 * this.#fields.length);
    const behind = this.#oldest * FIELDS;
    wider.set(this.#fields.subarray(behind));
    wider.set(this.#fields.subarray(0, behind), this.#fields.length - behind);
    this.#fields = wider;
    this.#oldest = 0;
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
