/**
 * Both ends of the reliable connections of a run whose link may change what arrives: each end follows what has reached it,
 * whatever was sent. Nothing is followed, and nothing costs, in runs without fault rules.
 *
 * `TransportMonitor` tells what is sent, the wire monitor what arrives; the checkers of requests and answers ask here what an
 * end can know. A packet that arrives with other bytes than were sent and a right invariant CRC ends that for its
 * connection: what a NIC makes of it is not predicted.
 */

import { Certainty } from '../../model/certainty.ts';
import { psnCompare, psnsOf } from '../../../agents/wire/psnArithmetic.ts';
import { BTH_CLASS } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { MESSAGE, OPCODE, messageOf } from '../../../agents/wire/wireOpcodes.ts';
import { FLOW, FLOW_BIT, type FlowTable, serviceOf, stateOf } from '../flowTable.ts';
import type { AckTimer } from '../ackTimer.ts';
import { RequesterReference } from './requesterReference.ts';
import { type BrokenAnswer, ResponderReference } from './responderReference.ts';

/** A request that arrived while software took its queue pair to RTR: the NIC may have taken it, or not. */
interface EarlyRequest {
  readonly packet: DecodedPacket;
  readonly packets: number;
  readonly at: number;
}

export class ReliableConnections {
  readonly #flows: FlowTable;
  readonly #timer: AckTimer;
  /** By flow of requests. */
  readonly #responders = new Map<number, ResponderReference>();
  readonly #requesters = new Map<number, RequesterReference>();
  readonly #early = new Map<number, EarlyRequest[]>();
  /** Flows at an end of which a packet has arrived that nobody has sent so, until they begin anew. */
  readonly #misled = new Set<number>();
  #follows = false;
  readonly certainty = new Certainty();

  /** @param timer of the requesters' time-outs */
  constructor(flows: FlowTable, timer: AckTimer) {
    this.#flows = flows;
    this.#timer = timer;
  }

  /** Whether anything is followed: cheap, for every packet. */
  get any(): boolean {
    return this.#follows;
  }

  /** From now on fault rules may act. Connections that are at rest are followed from where they are, others from their next beginning. */
  follow(): void {
    if (this.#follows) return;
    this.#follows = true;
    const s = this.#flows.state;
    for (let flow = 0; flow < this.#flows.count; flow++) {
      const at = stateOf(flow);
      const bits = s[at] as number;
      const answered = s[at + FLOW.acknowledged] === s[at + FLOW.top];
      if ((bits & FLOW_BIT.announced) === 0 || serviceOf(bits) !== QP_TYPE.rc || !answered) continue;
      this.#responders.set(flow, new ResponderReference(s[at + FLOW.top] as number));
      this.#requesters.set(flow, new RequesterReference(s[at + FLOW.top] as number));
    }
  }

  /** Software begins to take a queue pair to RTR, to which requests go in `flow`. */
  listens(flow: number): void {
    if (!this.#follows) return;
    this.#responders.delete(flow);
    this.#early.set(flow, []);
  }

  /** The queue pair is in RTR, or further; its peer's first request has number `psn`. */
  listensFrom(flow: number, psn: number): void {
    if (!this.#follows || this.#responders.has(flow)) return;
    const responder = new ResponderReference(psn);
    this.#responders.set(flow, responder);
    for (const { packet, packets, at } of this.#early.get(flow) ?? []) responder.arrived(packet, packets, at);
    this.#early.delete(flow);
  }

  /** A queue pair will send in `flow`, from `psn` on. */
  sendsFrom(flow: number, psn: number): void {
    if (!this.#follows) return;
    this.#misled.delete(flow);
    this.#requesters.set(flow, new RequesterReference(psn));
  }

  /** The queue pair to which requests go in `flow` is gone. */
  listensNoMore(flow: number): void {
    this.#responders.delete(flow);
    this.#early.delete(flow);
  }

  /** The queue pair that sends in `flow` is gone. */
  sendsNoMore(flow: number): void {
    this.#requesters.delete(flow);
  }

  requester(flow: number): RequesterReference | undefined {
    return this.#follows ? this.#requesters.get(flow) : undefined;
  }

  /** When a request arrived that its responder must answer and has sent nothing for since, ps; -1 = none, or not known. */
  owedSince(flow: number): number {
    return this.#responders.get(flow)?.owedSince ?? -1;
  }

  /** A request is sent in `flow`. */
  sent(p: DecodedPacket, flow: number): void {
    const requester = this.#requesters.get(flow);
    if (p.retransmission) {
      requester?.resends(p.handedOver);
      return;
    }
    if (requester !== undefined) this.#sends(requester, p, flow);
    if ((p.flags & OPCODE.end) !== 0) this.certainty.sent(!this.#misled.has(flow));
  }

  /** An answer is sent to what was sent in `flow`. @returns what is wrong with it, by what has arrived */
  answered(p: DecodedPacket, flow: number): BrokenAnswer | undefined {
    return this.#responders.get(flow)?.answers(p);
  }

  /** A sound packet of a reliable connection reaches a NIC at `now`, ps. @param flow of the requests */
  arrived(p: DecodedPacket, flow: number, edited: boolean, now: number): void {
    const asks = (p.flags & OPCODE.request) !== 0;
    if (asks && (edited || this.#isLeftOver(p, flow))) this.foreign(p, flow);
    if (edited) {
      this.misleads(flow);
      return;
    }
    if (!asks) {
      const s = this.#flows.state;
      const at = stateOf(flow);
      const requester = this.#requesters.get(flow);
      if (requester === undefined) return;
      const { heard, heardAt } = requester;
      requester.arrived(p, s[at + FLOW.next] !== s[at + FLOW.top], now);
      if (requester.heard !== heard && this.#mayHaveExpired(requester, at, heard, heardAt, now)) requester.heardLate();
      return;
    }
    const packets = this.#packets(p, flow);
    const early = this.#early.get(flow);
    if (early === undefined) this.#responders.get(flow)?.arrived(p, packets, now);
    else early.push({ packet: { ...p }, packets, at: now });
  }

  /** A request arrives that the peer has not sent so: it is taken for that if it has the right number. */
  foreign(p: DecodedPacket, flow: number): void {
    if (this.#responders.get(flow)?.expected === p.psn) this.certainty.acceptedForeign++;
  }

  /** What its ends know of each other in a flow is no more what they have sent. */
  misleads(flow: number): void {
    if (!this.#follows || flow < 0) return;
    this.#misled.add(flow);
    this.listensNoMore(flow);
    this.sendsNoMore(flow);
  }

  #sends(requester: RequesterReference, p: DecodedPacket, flow: number): void {
    requester.sends(p, this.#packets(p, flow));
    const { heard, heardAt } = requester;
    if (p.psn === heard && heardAt >= 0)
      requester.beginsAnew(this.#timer.leftSince(stateOf(flow), heardAt, p.handedOver) < 0);
  }

  /** Whether a request is one of an earlier connection: this one has not come to its number. */
  #isLeftOver({ psn }: DecodedPacket, flow: number): boolean {
    const s = this.#flows.state;
    const at = stateOf(flow);
    return ((s[at] ?? 0) & FLOW_BIT.announced) !== 0 && psnCompare(psn, s[at + FLOW.top] ?? 0) >= 0;
  }

  /** Whether a requester may have timed out by `now` for want of an answer to `psn`, the oldest without one since `since`. */
  #mayHaveExpired({ wentBackAt }: RequesterReference, at: number, psn: number, since: number, now: number): boolean {
    const sentAt = wentBackAt >= 0 ? wentBackAt : this.#timer.sentAt(at, psn);
    const from = sentAt >= 0 ? sentAt : since;
    return from >= 0 && this.#timer.leftSince(at, from, now) < 0;
  }

  /** PSNs that a request takes. */
  #packets({ flags, dmaLength }: DecodedPacket, flow: number): number {
    if (messageOf(flags) !== MESSAGE.read) return 1;
    const mtu = this.#flows.state[stateOf(flow) + FLOW.mtu] as number;
    return mtu === 0 ? 1 : psnsOf(dmaLength, mtu);
  }

  /** Whether a packet is one of a reliable connection. */
  static concerns(p: DecodedPacket): boolean {
    return p.opcode < BTH_CLASS.uc && p.to >= 0;
  }
}
