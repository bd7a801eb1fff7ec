import { FLOW, FLOW_WORDS, type FlowTable } from './flowTable.ts';
import { psnAdd } from '../../agents/wire/psnArithmetic.ts';
import type { Requesters } from './requesters.ts';
import { ACK_TIMER_PS } from '../../rdma/timers.ts';
import type { Profile } from '../model/profile.ts';
import type { Profiles } from '../model/profiles.ts';

const NEVER = 0;
const NOT_KNOWN = -1;

/** What there is to be known of flows. */
interface Flows {
  readonly flows: FlowTable;
  readonly requesters: Requesters;
}

/** Whether requesters may have timed out, by when they handed a packet over and when its answer left. */
export class AckTimer {
  readonly #flows: FlowTable;
  readonly #requesters: Requesters;
  readonly #profiles: Profiles;
  /** By what the NIC of the requester does unseen, and by code: time in ps after which the time-out may have expired, for all that can be seen here. */
  readonly #shortest = new Map<Profile, Float64Array>();

  constructor(known: Flows, profiles: Profiles) {
    this.#profiles = profiles;
    this.#flows = known.flows;
    this.#requesters = known.requesters;
  }

  /** When packet `psn` of the flow at `at` was handed over last; -1 when it is not known. */
  sentAt(at: number, psn: number): number {
    return this.#flows.connection(at).packets?.sentAt(psn) ?? NOT_KNOWN;
  }

  /** The same; also -1 when another copy of the packet may be what its receiver has answered. */
  onlySentAt(at: number, psn: number): number {
    return this.#flows.connection(at).packets?.onlySentAt(psn) ?? NOT_KNOWN;
  }

  /** When the latest packet of the flow at `at` was handed over; -1 when it is not known. */
  lastSentAt(at: number): number {
    const last = psnAdd(this.#flows.state[at + FLOW.next] as number, -1);
    return this.sentAt(at, this.#flows.connection(at).reads?.covering(last)?.psn ?? last);
  }

  /** The time-out of the flow at `at` in ps; infinite where there is none. */
  shortest(at: number): number {
    const code = this.#codeOf(at);
    return code === NEVER ? Number.POSITIVE_INFINITY : (ACK_TIMER_PS[code] as number);
  }

  /** Time in ps before which the time-out of packet `psn` cannot have expired; -1 when it is not known when it was sent. */
  earliest(at: number, psn: number): number {
    const sent = this.sentAt(at, psn);
    return sent < 0 ? -1 : sent + this.#shortestOf(at, this.#codeOf(at));
  }

  /**
   * Time in ps from `time` until a timer of the flow at `at` that was started at `since`, ps, may have expired: negative when it
   * may have before, infinite where there is none.
   */
  leftSince(at: number, since: number, time: number): number {
    const code = this.#codeOf(at);
    return code === NEVER ? Number.POSITIVE_INFINITY : since + this.#shortestOf(at, code) - time;
  }

  /** Time in ps after which the time-out of the flow at `at` may have expired, as far as can be seen here. */
  #shortestOf(at: number, code: number): number {
    const profile = this.#profiles.of(this.#requesters.hostOf(at / FLOW_WORDS));
    let shortest = this.#shortest.get(profile);
    if (shortest === undefined) {
      const { choices, unseenTime } = profile;
      shortest = Float64Array.from(ACK_TIMER_PS, (time) => choices.ackTimer[0] * time - unseenTime);
      this.#shortest.set(profile, shortest);
    }
    return shortest[code] as number;
  }

  /** Of a requester whose time-out is being changed: that of the shorter one. */
  #codeOf(at: number): number {
    const { ackTimeout } = this.#requesters.of(at / FLOW_WORDS);
    if (!ackTimeout.isOpen) return ackTimeout.now;
    const codes = ackTimeout.every().filter((code) => code !== NEVER);
    return codes.length === 0 ? NEVER : Math.min(...codes);
  }
}
