import type { FlowKnowledge } from './flowKnowledge.ts';
import type { AckTimer } from './ackTimer.ts';
import { FLOW, FLOW_BIT, FlowTable, stateOf } from './flowTable.ts';
import type { Requesters } from './requesters.ts';
import type { GoBacks } from './goBacks.ts';
import type { ForeignRequesters } from './foreignRequesters.ts';
import { leastOf } from '../../agents/verbs/windowed.ts';
import { MESSAGE } from '../../agents/wire/wireOpcodes.ts';

/** What a reliable connection that gives up has tried before, as far as the wire shows it (roce-transport.md 3.8). */
export interface Attempt {
  /** Retries that were made, and that had to be; -1 when that is not known. */
  readonly made: number;
  readonly wanted: number;
  /** When the latest packet was sent, if it asks for an answer, ps; -1 when it does not, or is not known. */
  readonly sentAt: number;
  /** Whether the peer has answered everything that was sent. */
  readonly answered: boolean;
  /** When the latest answer to anything new, and the latest refusal, left, ps. */
  readonly answeredAt: number;
  readonly refusedAt: number;
  /** Time in ps before which the time-out after the last retry cannot have expired; -1 when it is not known. */
  readonly until: number;
  /** The least time in ps that answers and refusals on the wire have left of late before a time-out may have expired. */
  readonly left: number;
  /** Time in ps for which it must wait for an answer, all retries together; infinite where it waits for ever. */
  readonly retryTime: number;
}

/** Answers the judge of completions, which asks when a queue pair has given up. */
export class Attempts {
  readonly #flows: FlowTable;
  readonly #goBacks: GoBacks;
  readonly #timer: AckTimer;
  readonly #foreign: ForeignRequesters;
  readonly #requesters: Requesters;

  constructor(known: FlowKnowledge) {
    this.#flows = known.flows;
    this.#goBacks = known.goBacks;
    this.#timer = known.timer;
    this.#foreign = known.foreign;
    this.#requesters = known.requesters;
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
    const psn = this.#goBacks.latest(flow, host);
    // What it had begun before a change it may have ended by the number of before.
    const wanted = leastOf(this.#requesters.of(flow).retryCnt, Number.NEGATIVE_INFINITY);
    const made = psn < 0 ? 0 : this.#goBacks.made(flow);
    const announced = ((s[at] as number) & FLOW_BIT.announced) !== 0;
    return {
      made,
      sentAt: s[at + FLOW.message] === MESSAGE.none ? this.#timer.lastSentAt(at) : -1,
      wanted,
      answered: announced && s[at + FLOW.acknowledged] === s[at + FLOW.top],
      answeredAt: this.#goBacks.answeredAt(flow),
      refusedAt: this.#goBacks.refusedAt(flow),
      until: psn < 0 || !announced ? -1 : this.#timer.earliest(at, psn),
      left: this.#goBacks.left(flow),
      retryTime: this.#timer.shortest(at) * (1 + Math.max(0, wanted)),
    };
  }
}
