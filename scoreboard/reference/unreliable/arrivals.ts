/**
 * Responders of UC and UD, driven by the packets that reach them: which messages arrive whole, and in which order. Whatever
 * the link loses, repeats, delays or damages, what a receiver must make of it follows from that (roce-transport.md 7).
 *
 * `Transmissions` says which message each packet sent belongs to and hangs the tag on its frame; the link says what becomes
 * of it; what its packets make up is a `Delivery`, and what arrives whole is handed to `Expectations`. Of a packet whose message is
 * not known (a send has failed, a packet was broken) the delivery has what the packet says; the messages of its sender stay on
 * their way until packets come that are known to be theirs.
 */

import type { DecodedPacket, PacketArrival, PacketFate } from '../../../agents/wire/decodedPacket.ts';
import { reachesTransport } from '../../../agents/wire/packetSoundness.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Expectations } from '../../checks/expectations.ts';
import type { OracleState } from '../../model/oracleState.ts';
import { noteBegunAgain } from '../../rules/droppedMessages.ts';
import { leaveTransit } from '../../model/transit.ts';
import { type Message, NO_MESSAGE, type QueuePair, STAGE } from '../../model/work.ts';
import type { WirePacket } from '../../model/wirePacket.ts';
import { Delivery, isAlike } from './delivery.ts';
import { type SentPacket, SentPackets } from './sentPackets.ts';
import { UC_STEP, UcSequence } from './ucSequence.ts';

/** What a packet is to its message. */
export interface PacketRole {
  readonly starts: boolean;
  readonly ends: boolean;
  readonly write: boolean;
}

/** A receiver of UC: what it makes of the next packet, and what is under way there. */
interface Receiving {
  readonly sequence: UcSequence;
  readonly delivery: Delivery;
}

export class UnreliableArrivals {
  readonly #s: OracleState;
  readonly #expect: Expectations;
  readonly #sent = new SentPackets();
  readonly #receiving = new Map<QueuePair, Receiving>();
  readonly #datagramDelivery = new Delivery();
  /** Senders of packets of which it is not known what they are may have sent to these: what comes there may be anything. */
  readonly #foreign = new Set<QueuePair>();

  constructor(state: OracleState, expectations: Expectations) {
    this.#s = state;
    this.#expect = expectations;
  }

  /** A packet of a message of `q` is sent. @param message `NO_MESSAGE` or `UNATTRIBUTED` where it is not known @returns the tag of its frame */
  sent(q: QueuePair, message: Message, p: WirePacket, { starts, ends, write }: PacketRole): number {
    const tag = this.#sent.take();
    const packet = this.#sent.at(tag);
    packet.message = message;
    packet.order = message.order;
    packet.sender = q;
    packet.destQp = p.destQp;
    packet.psn = p.psn;
    packet.qkey = p.qkey;
    packet.datagram = q.type === QP_TYPE.ud;
    packet.starts = starts;
    packet.ends = ends;
    packet.write = write;
    packet.opcode = p.opcode;
    packet.immediate = p.immediate;
    packet.payloadLength = p.payloadLength;
    packet.copies = 1;
    return tag;
  }

  /** The packet arrives more often than once, or never. */
  fated({ packet: p, copies }: PacketFate): void {
    if (p.tag === 0) return;
    const packet = this.#sent.at(p.tag);
    packet.copies = copies;
    if (copies > 1) this.#repeats(packet);
    if (copies === 0) this.#sent.release(p.tag);
  }

  /** A WRITE with immediate data that its receiver had to refuse may be carried out from now on: so may what is repeated of it. */
  granted(r: Message): void {
    for (const packet of this.#sent.of(r)) if (packet.copies > 1) this.#repeats(packet);
  }

  /** A packet, or a copy of one, reaches a NIC. */
  arrived({ host, from, tag, edited }: PacketArrival): void {
    if (edited !== null && !reachesTransport(edited)) this.#gone(tag);
    else if (tag === 0 || (edited !== null && !this.#isSame(edited, tag)))
      this.#forged(host, tag, edited?.destQp ?? -1);
    else this.#take(host, from, this.#sent.at(tag), tag, edited !== null);
  }

  /** A packet that no NIC has sent reaches a queue pair, which may take it: from now on anything may come there. */
  injected(host: number, destQp: number): void {
    this.#forged(host, 0, destQp);
  }

  /** Nothing is in flight: what has not arrived by now never will. */
  quiet(): void {
    if (this.#s.inTransit > 0) for (const q of this.#s.qps.all) if (q.transit.count > 0) this.#dropTransit(q);
    for (const spare of this.#s.copies) this.#expect.lost(spare);
    this.#s.copies.clear();
  }

  /** A queue pair is reset or destroyed. */
  forget(q: QueuePair): void {
    this.#receiving.delete(q);
    this.#foreign.delete(q);
  }

  /** A packet arrives more often than once. */
  #repeats(packet: SentPacket): void {
    const { known, copies } = packet;
    // Its first packet may have come before its last one is sent.
    const fills = packet.ends && isUnderWay(known);
    for (let i = 1; i < copies && fills; i++) packet.spares.push(this.#copyOf(known));
    // What comes once more of a WRITE is written once more, also behind its completion: until then its target stays open.
    if (packet.write && !packet.ends && known.stage === STAGE.inTransit) this.#copyOf(known);
  }

  #take(host: number, from: number, packet: SentPacket, tag: number, altered: boolean): void {
    const dest = this.#s.qps.find(host, packet.destQp);
    const { known } = packet;
    if (known.exists) known.latestAt = this.#s.clock.now;
    if (dest.exists && dest.type === packet.sender.type) {
      if (packet.datagram) this.#datagram(dest, packet, altered);
      else if (dest.remoteHost === from) this.#connected(dest, packet, altered);
    }
    this.#gone(tag);
  }

  #datagram(dest: QueuePair, packet: SentPacket, altered: boolean): void {
    const { now } = this.#s.clock;
    const delivery = this.#datagramDelivery;
    delivery.begin(packet.sender, packet.message, packet.order, now);
    delivery.take(packet, altered);
    if (packet.message.exists) this.#deliver(dest, packet, delivery);
    else this.#unattributed(dest, packet, delivery);
  }

  #connected(dest: QueuePair, packet: SentPacket, altered: boolean): void {
    const { sequence, delivery } = this.#receivingOf(dest);
    const { now } = this.#s.clock;
    const before = sequence.open ? delivery.message : NO_MESSAGE;
    const { starts, ends, write, psn, order } = packet;
    const step = sequence.arrives(psn, starts, ends, write, order);
    // The first packet of a message that comes once more begins it anew.
    const abandons = step === UC_STEP.dropped || (starts && before !== packet.known);
    if (before.exists && abandons) this.#expect.cutShort(dest, before);
    if (step === UC_STEP.dropped) return;
    if (starts) {
      delivery.begin(packet.sender, packet.known, order, now);
      if (!ends && !write) this.#begins(dest, packet, delivery);
    }
    delivery.take(packet, altered);
    if (!ends) return;
    if (step === UC_STEP.whole && packet.message.exists) this.#deliver(dest, packet, delivery);
    else this.#unattributed(dest, packet, delivery);
  }

  /** The first packet of a longer SEND has come. */
  #begins(dest: QueuePair, { message, known, sender, order }: SentPacket, delivery: Delivery): void {
    if (known.stage === STAGE.inTransit) this.#expect.begins(dest, known);
    else if (!message.exists) {
      delivery.holdPlace(this.#expect.beginsUnattributed(dest, sender));
      noteBegunAgain(this.#s, dest, this.#s.requests.nextOrder);
    } else if (known.stage !== STAGE.begun) this.#expect.beginsAgain(dest, known, order);
  }

  /** A message has come whole, the first time or once more. */
  #deliver(dest: QueuePair, packet: SentPacket, delivery: Delivery): void {
    const first = packet.known;
    const again = !first.exists || first.arrived;
    const r = again ? (packet.spares.pop() ?? NO_MESSAGE) : first;
    if (!r.exists) return;
    this.#s.copies.delete(r);
    r.arrivedAt = this.#s.clock.now;
    if (delivery.altered) r.altered = true;
    // Plain WRITEs are seen in memory only, and so is what must be refused.
    if (!again && !isUnderWay(r)) {
      if (r.stage === STAGE.posted) r.stage = STAGE.arrived;
      return;
    }
    const misled = this.#foreign.has(dest);
    this.#s.options.wire.certainty?.sent(!misled);
    if (misled) this.#expect.mayBeMissing(r);
    this.#expect.message(dest, r, delivery.beganAt, qkeyOf(packet));
  }

  /** A message has come whole of which it is not known which: no more is known of it than what its packets say. */
  #unattributed(dest: QueuePair, packet: SentPacket, delivery: Delivery): void {
    const begun = delivery.message;
    if (begun.exists) this.#expect.cutShort(dest, begun);
    if (delivery.fillsReceive) this.#expect.unattributed(dest, delivery, qkeyOf(packet));
  }

  /** A packet has been changed on the way to something that its sender has not sent: from now on anything may come there. */
  #forged(host: number, tag: number, destQp: number): void {
    const dest = this.#s.qps.find(host, destQp);
    if (dest.exists && dest.type !== QP_TYPE.rc) {
      this.#foreign.add(dest);
      this.#s.options.wire.certainty?.reasons.add(
        'a packet of an unreliable service that its sender has not sent so has arrived',
      );
      for (let r = dest.inbound.head; r.exists; r = r.link) this.#expect.mayBeMissing(r);
    }
    this.#gone(tag);
  }

  /** Whether a packet that was changed says of itself what it said before: only its payload is another one. */
  #isSame(edited: DecodedPacket, tag: number): boolean {
    const packet = this.#sent.at(tag);
    const sameQkey = !packet.datagram || edited.qkey === packet.qkey;
    return edited.psn === packet.psn && edited.destQp === packet.destQp && isAlike(edited, packet) && sameQkey;
  }

  #gone(tag: number): void {
    if (tag === 0) return;
    if (--this.#sent.at(tag).copies <= 0) this.#sent.release(tag);
  }

  #copyOf(r: Message): Message {
    const copy = this.#expect.copyOf(r);
    this.#s.copies.add(copy);
    return copy;
  }

  #dropTransit(q: QueuePair): void {
    for (let r = q.transit.head; r.exists; ) {
      const next = r.link;
      if (!r.outstanding) {
        leaveTransit(this.#s, r);
        this.#expect.lost(r);
      }
      r = next;
    }
  }

  #receivingOf(dest: QueuePair): Receiving {
    let at = this.#receiving.get(dest);
    if (at === undefined) {
      at = { sequence: new UcSequence(), delivery: new Delivery() };
      this.#receiving.set(dest, at);
    }
    return at;
  }
}

/** Whether a message fills a receive, and has not come whole. */
function isUnderWay({ stage }: Message): boolean {
  return stage === STAGE.inTransit || stage === STAGE.begun;
}

/** The Q_Key that a packet carries; null of connected services. */
function qkeyOf({ datagram, qkey }: SentPacket): number | null {
  return datagram ? qkey : null;
}
