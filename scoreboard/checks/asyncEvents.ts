/**
 * Asynchronous events that a NIC owes: a responder that refuses a READ, a plain WRITE or an atomic has no receive to
 * complete with an error, so an event tells its software, and so it does of the first message in RTR (roce-transport.md
 * 4.2, 5.6). What was refused is learnt from the requester; the event may come before that or after it, so that what is
 * left of both is compared at the end.
 */

import type { Subject } from '../../rdma/subject.ts';
import { ASYNC_EVENT, ASYNC_EVENT_NAME, WC_STATUS } from '../../rdma/verbs.ts';
import type { Findings } from '../../uvm/report/findings.ts';
import { SCB, type ScbId } from '../report/reportIds.ts';
import { theEventSource } from '../report/subjects.ts';

/** Event that a responder owes by the status with which the requester learns of the refusal. */
const EVENT_OF_STATUS: Readonly<Record<number, number | undefined>> = {
  [WC_STATUS.remInvReqErr]: ASYNC_EVENT.qpReqErr,
  [WC_STATUS.remAccessErr]: ASYNC_EVENT.qpAccessErr,
  [WC_STATUS.remOpErr]: ASYNC_EVENT.qpFatal,
};

/** Events that shared receive queues bring (`SharedQueues`). */
const OF_SHARED: readonly number[] = [ASYNC_EVENT.srqErr, ASYNC_EVENT.srqLimitReached, ASYNC_EVENT.lastWqeReached];

/** Events of one kind for one queue pair of a host. */
interface Tally {
  readonly host: number;
  readonly event: number;
  /** Queue pair. */
  readonly number: number;
  /** Events that came and were not owed, so far. */
  came: number;
  /** What the queue pair has done without an event so far, the earliest first, each as the end of a sentence. */
  readonly owed: string[];
}

export class AsyncEvents {
  readonly #reporter: Findings<ScbId, Subject>;
  /** Of kinds and queue pairs with any, by all three. */
  readonly #tallies = new Map<string, Tally>();
  /** Hosts whose software is told of events. */
  readonly #listening = new Set<number>();

  constructor(reporter: Findings<ScbId, Subject>) {
    this.#reporter = reporter;
  }

  /** The software of a host has asked for events. */
  listen(host: number): void {
    this.#listening.add(host);
  }

  isListening(host: number): boolean {
    return this.#listening.has(host);
  }

  /** A responder has refused a request for which it holds no receive, as its requester was told. */
  refused(host: number, qpn: number, status: number, cause: string): void {
    const event = EVENT_OF_STATUS[status];
    if (event !== undefined) this.#owe(host, event, qpn, `refused ${cause}`);
  }

  /** A queue pair has failed for want of something in host memory, which only an event tells. @param cause what it did, as the end of a sentence */
  failed(host: number, qpn: number, event: number, cause: string): void {
    this.#owe(host, event, qpn, cause);
  }

  /** Software has stopped a queue pair before that could be: an event that is still owed need not come. */
  excused(host: number, qpn: number, event: number): void {
    this.#tallyOf(host, event, qpn).owed.pop();
  }

  /** The same of a completion queue. */
  queueFailed(host: number, cqn: number, cause: string): void {
    this.#owe(host, ASYNC_EVENT.cqErr, cqn, cause);
  }

  /** The same of a device. */
  deviceFailed(host: number, cause: string): void {
    this.#owe(host, ASYNC_EVENT.deviceFatal, 0, cause);
  }

  /** A queue pair has received a message, in RTR, for the first time there. */
  received(host: number, qpn: number, message: string): void {
    this.#owe(host, ASYNC_EVENT.commEst, qpn, `received ${message} in RTR`);
  }

  /** The NIC of a host was reset: what its queue pairs owed does not come (`DeviceLife`). */
  forget(host: number): void {
    for (const tally of this.#tallies.values()) if (tally.host === host) tally.owed.length = 0;
  }

  happened(host: number, event: number, number: number): void {
    // Sequences make any number of these, and software waits for each by itself.
    if (event === ASYNC_EVENT.sqDrained || OF_SHARED.includes(event)) return;
    const tally = this.#tallyOf(host, event, number);
    if (tally.owed.shift() === undefined) tally.came++;
  }

  /** Reports what was owed and never came, with what came instead. */
  finish(): void {
    for (const tally of this.#tallies.values())
      for (const cause of tally.owed) if (!this.#hasSaidOther(tally)) this.#missing(tally, cause);
  }

  /** A queue pair fails once: where a READ before a request that it has refused cannot be answered, it has said that of the request. */
  #hasSaidOther({ host, event, number }: Tally): boolean {
    if (event !== ASYNC_EVENT.qpFatal) return false;
    const others = [ASYNC_EVENT.qpReqErr, ASYNC_EVENT.qpAccessErr].map((other) => this.#tallyOf(host, other, number));
    const said = others.find(({ came }) => came > 0);
    if (said !== undefined) said.came--;
    return said !== undefined;
  }

  #owe(host: number, event: number, number: number, cause: string): void {
    if (!this.#listening.has(host)) return;
    const tally = this.#tallyOf(host, event, number);
    if (tally.came > 0) tally.came--;
    else tally.owed.push(cause);
  }

  #tallyOf(host: number, event: number, number: number): Tally {
    const key = `${host} ${event} ${number}`;
    const known = this.#tallies.get(key);
    if (known !== undefined) return known;
    const tally: Tally = { host, event, number, came: 0, owed: [] };
    this.#tallies.set(key, tally);
    return tally;
  }

  #missing({ host, event, number }: Tally, cause: string): void {
    const text = (): string => {
      const others = this.#unowed(host);
      const instead = others.length === 0 ? 'no event came in its place' : `in its place: ${others.join(', ')}`;
      return `host ${host}${elementOf(event, number)}: no ${nameOf(event)} event came although it ${cause}; ${instead}`;
    };
    this.#reporter.error(SCB.asyncEvent, text, [theEventSource(host, event, number)]);
  }

  /** The first events of a host that nothing explains, for messages. */
  #unowed(host: number): string[] {
    const unowed = [...this.#tallies.values()].filter((tally) => tally.host === host && tally.came > 0);
    return unowed.slice(0, MOST_SHOWN).map(({ event, number }) => `${nameOf(event)} for number ${number}`);
  }
}

/** Other events that a message names. */
const MOST_SHOWN = 4;

/** What an event is about, for messages. */
function elementOf(event: number, number: number): string {
  if (event === ASYNC_EVENT.deviceFatal) return '';
  return event === ASYNC_EVENT.cqErr ? ` CQ ${number}` : ` QP ${number}`;
}

function nameOf(event: number): string {
  return ASYNC_EVENT_NAME[event] ?? `event ${event}`;
}
