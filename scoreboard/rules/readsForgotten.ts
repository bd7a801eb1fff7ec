/**
 * READs and atomics that are asked for again (roce-transport.md 3.9, 3.10): a responder knows the newest `max_dest_rd_atomic` of
 * them, and answers those again. Judged on links that lose nothing, and where its NIC is at rest: what it has not answered then it
 * has forgotten. An answer that goes on with the packet that is asked for counts, also one that began before.
 */

import type { QueuePair } from '../model/work.ts';
import { BTH_OP, PSN_MASK } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { leastOf } from '../../agents/verbs/windowed.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { qpName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { peerTakesNothing } from '../model/peers.ts';
import { SCB } from '../report/reportIds.ts';
import { HALF_PSN } from '../checks/transmissions.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { aMoment, aPsnRange } from '../../rdma/subjectParts.ts';
import { theQueuePair } from '../report/subjects.ts';

/** Beyond these the oldest of a queue pair are forgotten: so many come from a NIC that answers none. */
const KEPT = 64;

/** A READ, or the rest of one, that was asked for again. */
interface Asked {
  readonly psn: number;
  /** READs and atomics that had been sent after it. */
  readonly behind: number;
  readonly sentAt: number;
  /** Before this time (ps) it cannot have arrived. */
  readonly arrival: number;
  /** Its responder had executed the READ by then. */
  executed: boolean;
}

export class ReadsForgotten {
  readonly #s: OracleState;
  /** By queue pair that asks: what has had no answer since. */
  readonly #open = new Map<QueuePair, Asked[]>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Whether answers matter: cheap, for every packet. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  /** A READ is asked for again. */
  asked(p: WirePacket): void {
    const { options, qps, clock, disturbances } = this.#s;
    const { wire } = options;
    const q = qps.peerOn(p.host, qps.find(p.to, p.destQp));
    if (!q.exists || disturbances.has(q)) return;
    const open = this.#open.get(q) ?? [];
    const { psn, readsBehind: behind, wasAnswered: executed } = p;
    open.push({ psn, behind, executed, sentAt: clock.now, arrival: p.time + wire.shortestTrip });
    if (open.length > KEPT) open.shift();
    this.#open.set(q, open);
  }

  /** Any packet while something is open: is it an answer to that, or does it show that the READ has been executed? */
  packet(p: WirePacket): void {
    if (p.opcode < BTH_OP.readResponseFirst || p.opcode > BTH_OP.atomicAcknowledge) return;
    const q = this.#s.qps.find(p.to, p.destQp);
    const open = this.#open.get(q);
    if (open === undefined || q.remoteHost !== p.host) return;
    const { now } = this.#s.clock;
    const left = open.filter((asked) => !this.#isAnswer(p, asked, now));
    if (left.length > 0) this.#open.set(q, left);
    else this.#open.delete(q);
  }

  /** Time has passed: NICs may have come to rest. */
  look(): void {
    for (const q of [...this.#open.keys()]) this.#judge(q);
  }

  /** The queue pair or its peer is about to leave the states in which it answers. */
  leaves(q: QueuePair): void {
    if (this.#open.size === 0) return;
    this.#judge(q);
    this.#open.delete(q);
    const peer = this.#s.qps.peerOf(q);
    if (!peer.exists) return;
    this.#judge(peer);
    this.#open.delete(peer);
  }

  #isAnswer(p: WirePacket, asked: Asked, now: number): boolean {
    const ahead = (p.psn - asked.psn) & PSN_MASK;
    const same = ahead === 0 && p.opcode !== BTH_OP.acknowledge;
    if (now >= asked.arrival) return same;
    if (same || (ahead > 0 && ahead < HALF_PSN)) asked.executed = true;
    return false;
  }

  #judge(q: QueuePair): void {
    const s = this.#s;
    const open = this.#open.get(q);
    if (open === undefined) return;
    const host = q.remoteHost;
    const peer = s.qps.peerOf(q);
    // The request itself may be what the link has held back, behind others that make its responder forget the READ.
    if (!peer.exists || peerTakesNothing(s, q) || s.disturbances.has(q)) this.#open.delete(q);
    else {
      const busy = open.filter(({ sentAt }) => s.options.wire.hasRested(host, sentAt) !== true);
      for (const asked of open) if (!busy.includes(asked)) this.#report(q, peer, asked);
      if (busy.length > 0) this.#open.set(q, busy);
      else this.#open.delete(q);
    }
  }

  /** Unless the READ was not executed, or need not be known any more. */
  #report(q: QueuePair, peer: QueuePair, asked: Asked): void {
    const s = this.#s;
    // The fewest that it was ever given: which of those the change of its attributes has left there is not said.
    const known = leastOf(peer.attributes.maxDestRdAtomic, Number.NEGATIVE_INFINITY);
    if (!asked.executed || asked.behind >= known) return;
    const text = (): string => {
      const what = `PSN ${psnText(asked.psn)} of ${qpName(q)} again, asked for at ${logTime(asked.sentAt)}`;
      const newest =
        known === 1 ? 'the newest of its READs and atomics' : `the newest ${known} of its READs and atomics`;
      const which = asked.behind === 0 ? 'the last' : `number ${asked.behind + 1} from the last`;
      return `${qpName(peer)} has not answered ${what}, and its NIC came to rest; it must know ${newest}, and this is ${which}`;
    };
    s.reporter.error(SCB.readForgotten, text, [
      aPsnRange(q.host, q.qpn, asked.psn),
      theQueuePair(peer),
      aMoment(asked.sentAt),
    ]);
  }
}
