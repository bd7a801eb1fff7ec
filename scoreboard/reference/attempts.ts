import type { FlowKnowledge } from './flowKnowledge.ts';
import type { AckTimer } from './ackTimer.ts';
import { FLOW, FLOW_BIT, FlowTable, stateOf } from './flowTable.ts';
import type { Requesters } from './requesters.ts';
import type { ForeignRequesters } from './foreignRequesters.ts';
import type { ReliableConnections } from './reliable/reliableConnections.ts';
import type { RequesterReference } from './reliable/requesterReference.ts';
import { leastOf } from '../../agents/verbs/windowed.ts';
import { MESSAGE } from '../../agents/wire/wireOpcodes.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';

const NEVER = -1;

/** What a requester may have given up for: a packet, how often it may have sent that again, and when the last time-out was over. */
export interface GivenUp {
  readonly psn: number;
  /** Retries that may have been made. */
  readonly made: number;
  /** When this packet was sent again, ps, the first times; of a retry that may have been made unseen there is none. */
  readonly times: readonly number[];
  /** Time in ps before which the time-out after the last one cannot have expired; -1 when that is not known, or a NAK ended it. */
  readonly until: number;
  /** When an answer to the last one, or an RNR NAK for it, reached the requester, ps; -1 = none has. */
  readonly repliedAt: number;
}

/** What a reliable connection that gives up has tried before, as far as the wire shows it (roce-transport.md 3.8). */
export interface Attempt {
  /** What it may have given up for; none where all that it sent was answered in the end, undefined where that is not known. */
  readonly givenUp: readonly GivenUp[] | undefined;
  /** Retries that had to be made; -1 when that is not known. */
  readonly wanted: number;
  /** When a request reached the peer that it must answer and for which it has sent nothing since, ps; -1 = none. */
  readonly owedSince: number;
  /** Whether the peer has answered everything that was sent, whatever has become of the answers. */
  readonly answered: boolean;
  /** When the latest packet was sent, if it asks for an answer, ps; -1 when it does not, or is not known. */
  readonly sentAt: number;
  /** Time in ps for which it must wait for an answer, all retries together; infinite where it waits for ever. */
  readonly retryTime: number;
  /** RNR NAKs for a packet that it may have counted by `now`, ps; undefined where nothing is known of what has arrived. */
  notReady(psn: number, now: number): number | undefined;
}

/** Answers the judge of completions, which asks when a queue pair has given up. */
export class Attempts {
  readonly #flows: FlowTable;
  readonly #timer: AckTimer;
  readonly #foreign: ForeignRequesters;
  readonly #requesters: Requesters;
  readonly #reliable: ReliableConnections;

  constructor(known: FlowKnowledge) {
    this.#flows = known.flows;
    this.#timer = known.timer;
    this.#foreign = known.foreign;
    this.#requesters = known.requesters;
    this.#reliable = known.reliable;
  }

  /**
   * Of queue pair `qpn` of `host`, whose peer is `remoteQpn` of `remoteHost`; undefined when nothing is known, for
   * example because another queue pair uses that peer by now.
   */
  of(host: number, qpn: number, remoteHost: number, remoteQpn: number): Attempt | undefined {
    const flow = this.#foreign.requestsFrom(host, remoteHost, remoteQpn);
    const own = this.#flows.find(FlowTable.connected(host, qpn));
    if (flow < 0 || own < 0) return undefined;
    const s = this.#flows.state;
    const at = stateOf(flow);
    const peer = s[at + FLOW.peer] as number;
    if (s[stateOf(own) + FLOW.peer] !== flow || (peer >= 0 && peer !== own)) return undefined;
    const requester = this.#reliable.requester(flow);
    // What it had begun before a change it may have ended by the number of before.
    const wanted = leastOf(this.#requesters.of(flow).retryCnt, Number.NEGATIVE_INFINITY);
    const announced = ((s[at] as number) & FLOW_BIT.announced) !== 0;
    return {
      givenUp: requester && this.#givenUp(requester, at),
      wanted,
      owedSince: this.#reliable.owedSince(flow),
      answered: announced && s[at + FLOW.acknowledged] === s[at + FLOW.top],
      sentAt: s[at + FLOW.message] === MESSAGE.none ? this.#timer.lastSentAt(at) : NEVER,
      retryTime: this.#timer.shortest(at) * (1 + Math.max(0, wanted)),
      notReady: (psn, now) => requester?.notReady(psn, now),
    };
  }

  /**
   * The oldest packet without an answer; and those of which the answer may have come when it had given up already: the one
   * that was the oldest before, and the one that it went back to last.
   */
  #givenUp(requester: RequesterReference, at: number): readonly GivenUp[] {
    const { heard, heardBefore, heardAt, retries, isOpen, refusedAt, isAskedAgain } = requester;
    const { to, most } = retries;
    const given = (psn: number, until: number, repliedAt: number): GivenUp => ({
      psn,
      // Before it sent another packet at all the time-out of one before may have expired, which was answered meanwhile.
      made: to === psn ? most : to < 0 ? 0 : 1,
      times: retries.timesTo(psn),
      until,
      repliedAt,
    });
    const found: GivenUp[] = [];
    if (isOpen) {
      const refused = refusedAt > this.#timer.sentAt(at, heard) ? refusedAt : NEVER;
      found.push(given(heard, isAskedAgain ? NEVER : this.#timer.earliest(at, heard), refused));
    }
    const answered = [heardBefore, to].filter((psn, i, all) => psn >= 0 && all.indexOf(psn) === i);
    for (const psn of answered)
      if (psnCompare(psn, heard) < 0) found.push(given(psn, this.#timer.earliest(at, psn), heardAt));
    return found;
  }
}
