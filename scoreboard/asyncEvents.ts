/**
 * Asynchronous events that a NIC owes: a responder that refuses a READ, a plain WRITE or an atomic has no receive to
 * complete with an error, so an event tells its software, and so it does of the first message in RTR (roce-transport.md
 * 4.2, 5.6). What was refused is learnt from the requester; the event may come before that or after it, so that both
 * are compared at the end.
 */

import { ASYNC_EVENT, ASYNC_EVENT_NAME, WC_STATUS } from '../rdma/verbs.ts';
import type { Findings } from '../uvm/report/findings.ts';
import { SCB, type ScbId } from './reportIds.ts';

/** Event that a responder owes by the status with which the requester learns of the refusal. */
const EVENT_OF_STATUS: Readonly<Record<number, number | undefined>> = {
  [WC_STATUS.remInvReqErr]: ASYNC_EVENT.qpReqErr,
  [WC_STATUS.remAccessErr]: ASYNC_EVENT.qpAccessErr,
};

interface Event {
  readonly host: number;
  readonly event: number;
  /** Queue pair. */
  readonly number: number;
  /** What the queue pair has done, as the end of a sentence; of an event that came: none. */
  readonly cause: string;
}

export class AsyncEvents {
  readonly #reporter: Findings<ScbId>;
  readonly #owed: Event[] = [];
  readonly #came: Event[] = [];
  /** Hosts whose software is told of events. */
  readonly #listening = new Set<number>();

  constructor(reporter: Findings<ScbId>) {
    this.#reporter = reporter;
  }

  /** The software of a host has asked for events. */
  listen(host: number): void {
    this.#listening.add(host);
  }

  /** A responder has refused a request for which it holds no receive, as its requester was told. */
  refused(host: number, qpn: number, status: number, cause: string): void {
    const event = EVENT_OF_STATUS[status];
    if (event !== undefined) this.#owe(host, event, qpn, `refused ${cause}`);
  }

  /** A queue pair has received a message, in RTR, for the first time there. */
  received(host: number, qpn: number, message: string): void {
    this.#owe(host, ASYNC_EVENT.commEst, qpn, `received ${message} in RTR`);
  }

  happened(host: number, event: number, number: number): void {
    this.#came.push({ host, event, number, cause: '' });
  }

  /** Reports what was owed and never came, with what came instead. */
  finish(): void {
    for (const owed of this.#owed) {
      const at = this.#came.findIndex(
        (e) => e.host === owed.host && e.event === owed.event && e.number === owed.number,
      );
      if (at >= 0) this.#came.splice(at, 1);
      else this.#missing(owed);
    }
  }

  #owe(host: number, event: number, number: number, cause: string): void {
    if (this.#listening.has(host)) this.#owed.push({ host, event, number, cause });
  }

  #missing({ host, event, number, cause }: Event): void {
    const others = this.#came.filter((e) => e.host === host).map((e) => `${nameOf(e.event)} for number ${e.number}`);
    const instead = others.length === 0 ? 'no other event came' : `what came: ${others.slice(0, 4).join(', ')}`;
    this.#reporter.error(
      SCB.asyncEvent,
      () => `host ${host} QP ${number}: no ${nameOf(event)} event came although it ${cause}; ${instead}`,
    );
  }
}

function nameOf(event: number): string {
  return ASYNC_EVENT_NAME[event] ?? `event ${event}`;
}
