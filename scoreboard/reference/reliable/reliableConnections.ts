/**
 * Both ends of the reliable connections of a run: each end follows what has reached it, whatever was sent.
 *
 * `TransportMonitor` tells what is sent, the wire monitor what arrives; the checkers of requests and answers ask here what an
 * end can know. A packet that arrives with other bytes than were sent and a right invariant CRC ends that for its
 * connection: what a NIC makes of it is not predicted.
 */

import { Certainty } from '../../model/certainty.ts';
import { psnCompare, psnsOf } from '../../../agents/wire/psnArithmetic.ts';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { RNR_TIMER_PS } from '../../../rdma/timers.ts';
import { LAST_ACK, LAST_NOT_READY } from '../../../agents/wire/syndromes.ts';
import type { Profiles } from '../../model/profiles.ts';
import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { MESSAGE, OPCODE, messageOf } from '../../../agents/wire/wireOpcodes.ts';
import { FLOW, FLOW_BIT, FlowTable, stateOf } from '../flowTable.ts';
import type { AckTimer } from '../ackTimer.ts';
import { RequesterReference } from './requesterReference.ts';
import { type BrokenAnswer, ResponderReference } from './responderReference.ts';

const TIMER_CODE = 0x1f;
const CODE_25 = 25;

/** A request that arrived while software took its queue pair to RTR: the NIC may have taken it, or not. */
interface EarlyRequest {
  readonly packet: DecodedPacket;
  readonly packets: number;
  readonly at: number;
}

export class ReliableConnections {
  readonly #flows: FlowTable;
  readonly #timer: AckTimer;
  /** By flow of requests; flows are numbered from 0 on. */
  readonly #responders: (ResponderReference | undefined)[] = [];
  readonly #requesters: (RequesterReference | undefined)[] = [];
  readonly #early = new Map<number, EarlyRequest[]>();
  readonly #profiles: Profiles;
  readonly certainty = new Certainty();
  /** Told of each request that has reached its responder in order, which takes it unless it refuses it. */
  onAccepted: (p: DecodedPacket) => void = () => {};

  /** @param timer of the requesters' time-outs */
  constructor(flows: FlowTable, timer: AckTimer, profiles: Profiles) {
    this.#flows = flows;
    this.#timer = timer;
    this.#profiles = profiles;
  }

  /** Software begins to take a queue pair to RTR, to which requests go in `flow`. */
  listens(flow: number): void {
    forget(this.#responders, flow);
    this.#early.set(flow, []);
  }

  /** The queue pair is in RTR, or further; its peer's first request has number `psn`. */
  listensFrom(flow: number, psn: number): void {
    if (this.#responders[flow] !== undefined) return;
    const { choices, discardsAtomics = false } = this.#profiles.of(FlowTable.hostOf(this.#flows.keyOf(flow)));
    const { sequenceNakAfterRnr } = choices;
    const responder = new ResponderReference(psn, { discardsAtomics, sequenceNakAfterRnr });
    this.#responders[flow] = responder;
    for (const { packet, packets, at } of this.#early.get(flow) ?? []) this.#reaches(responder, packet, packets, at);
    this.#early.delete(flow);
  }

  /** A queue pair will send in `flow`, from `psn` on. */
  sendsFrom(flow: number, psn: number): void {
    this.#requesters[flow] = new RequesterReference(psn);
  }

  /** The queue pair to which requests go in `flow` is gone. */
  listensNoMore(flow: number): void {
    forget(this.#responders, flow);
    this.#early.delete(flow);
  }

  /** The queue pair that sends in `flow` is gone. */
  sendsNoMore(flow: number): void {
    forget(this.#requesters, flow);
  }

  requester(flow: number): RequesterReference | undefined {
    return this.#requesters[flow];
  }

  /** When a request arrived that its responder must answer and has sent nothing for since, ps; -1 = none, or not known. */
  owedSince(flow: number): number {
    return this.#responders[flow]?.owedSince ?? -1;
  }

  /** PSN of that request. */
  owedPsn(flow: number): number {
    return this.#responders[flow]?.owedPsn ?? 0;
  }

  /** A request is sent in `flow`. */
  sent(p: DecodedPacket, flow: number): void {
    const requester = this.#requesters[flow];
    if (p.retransmission) {
      requester?.resends(p.handedOver);
      return;
    }
    if (requester !== undefined) this.#sends(requester, p, flow);
    if ((p.flags & OPCODE.end) !== 0) this.certainty.sent(!this.#flows.connection(stateOf(flow)).isMisled);
  }

  /** An answer is sent to what was sent in `flow`. @returns what is wrong with it, by what has arrived */
  answered(p: DecodedPacket, flow: number): BrokenAnswer | undefined {
    return this.#responders[flow]?.answers(p);
  }

  /** A sound packet of a reliable connection reaches a NIC at `now`, ps. @param flow of the requests */
  arrived(p: DecodedPacket, flow: number, edited: boolean, now: number): void {
    const asks = (p.flags & OPCODE.request) !== 0;
    const isFormer = asks && this.#isOfFormer(p, flow);
    if (isFormer) this.#flows.connection(stateOf(flow)).foreign ??= 'of an earlier connection';
    if (asks && (edited || isFormer)) this.foreign(p, flow);
    if (edited) {
      this.misleads(flow, 'a packet with other bytes and a right invariant CRC has arrived');
      return;
    }
    if (!asks) {
      const s = this.#flows.state;
      const at = stateOf(flow);
      const requester = this.#requesters[flow];
      if (requester === undefined) return;
      const expired = this.#mayHaveExpired(requester, at, now);
      requester.arrived(p, { now, expired, resending: s[at + FLOW.next] !== s[at + FLOW.top], wait: this.#waitOf(p) });
      return;
    }
    const packets = this.#packets(p, flow);
    const early = this.#early.get(flow);
    if (early !== undefined) early.push({ packet: { ...p }, packets, at: now });
    else {
      const responder = this.#responders[flow];
      if (responder !== undefined) this.#reaches(responder, p, packets, now);
    }
  }

  /** A request arrives that the peer has not sent so: it is taken for that if it has the right number. */
  foreign(p: DecodedPacket, flow: number): void {
    if (this.#responders[flow]?.expected === p.psn) this.certainty.acceptedForeign++;
  }

  /** What its ends know of each other in a flow is no more what they have sent. @param reason in words */
  misleads(flow: number, reason: string): void {
    if (flow < 0) return;
    this.certainty.reasons.add(reason);
    this.#flows.connection(stateOf(flow)).foreign = 'injected';
    this.listensNoMore(flow);
    this.sendsNoMore(flow);
  }

  #reaches(responder: ResponderReference, p: DecodedPacket, packets: number, now: number): void {
    if (responder.arrived(p, packets, now)) this.onAccepted(p);
  }

  #sends(requester: RequesterReference, p: DecodedPacket, flow: number): void {
    requester.sends(p, this.#packets(p, flow));
    const { heard, heardAt } = requester;
    if (p.psn === heard && heardAt >= 0)
      requester.beginsAnew(this.#timer.leftSince(stateOf(flow), heardAt, p.handedOver) < 0);
  }

  /** Whether a request is one of an earlier connection: this one has not come to its number, or began behind it. */
  #isOfFormer({ psn }: DecodedPacket, flow: number): boolean {
    const s = this.#flows.state;
    const at = stateOf(flow);
    if (((s[at] as number) & FLOW_BIT.announced) === 0) return false;
    return psnCompare(psn, s[at + FLOW.top] as number) >= 0 || psnCompare(psn, s[at + FLOW.first] as number) < 0;
  }

  /** Whether a requester may have timed out by `now`, ps. @param at index of its flow */
  #mayHaveExpired(requester: RequesterReference, at: number, now: number): boolean {
    const since = requester.timerSince(this.#timer.sentAt(at, requester.heard));
    const from = since >= 0 ? since : requester.heardAt;
    return from >= 0 && this.#timer.leftSince(at, from, now) < 0;
  }

  /** For how long an RNR NAK asks to wait, ps; 0 = it is none. */
  #waitOf({ opcode, syndrome, to }: DecodedPacket): number {
    if (opcode !== BTH_OP.acknowledge || syndrome <= LAST_ACK || syndrome > LAST_NOT_READY) return 0;
    const code = syndrome & TIMER_CODE;
    return code === CODE_25 ? this.#profiles.of(to).choices.rnrCode25 : (RNR_TIMER_PS[code] as number);
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

function forget<T>(ends: (T | undefined)[], flow: number): void {
  if (ends[flow] !== undefined) ends[flow] = undefined;
}
