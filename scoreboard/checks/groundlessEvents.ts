/**
 * Asynchronous events that cannot be: of queue pairs and completion queues that have done nothing of the kind
 * (roce-transport.md 5.6, 6.2). Objects go by their numbers: an event may tell of the life before a reset.
 */

import type { Subject } from '../../rdma/subject.ts';
import type { AsyncEventItem } from '../../agents/verbs/verbsItems.ts';
import { ASYNC_EVENT, ASYNC_EVENT_NAME } from '../../rdma/verbs.ts';
import type { Findings } from '../../uvm/report/findings.ts';
import { qpName } from '../model/names.ts';
import type { QueuePairs } from '../model/queuePairs.ts';
import type { FatalEvents } from '../rules/pcie/fatalEvents.ts';
import { SCB, type ScbId } from '../report/reportIds.ts';
import { theEventSource } from '../report/subjects.ts';

/** Events after which the queue pair they name is in ERR. */
const QP_ERRORS: readonly number[] = [ASYNC_EVENT.qpFatal, ASYNC_EVENT.qpReqErr, ASYNC_EVENT.qpAccessErr];

/** Events of a queue pair, by its number. */
const QP_EVENTS: readonly number[] = [...QP_ERRORS, ASYNC_EVENT.sqDrained, ASYNC_EVENT.commEst];

export class GroundlessEvents {
  readonly #qps: QueuePairs;
  readonly #reporter: Findings<ScbId, Subject>;
  readonly #fatal: Pick<FatalEvents, 'mayFail'>;
  /** Beginnings and ends of modifications; how many there had been when an event last said that it is in ERR. */
  readonly #changes = new Map<number, number>();
  readonly #inError = new Map<number, number>();
  /** Queue pairs that software has taken to RTR since an event last said that a peer talks to them. */
  readonly #listening = new Set<number>();
  /** SQ_DRAINED events asked for that have not come. */
  readonly #asked = new Map<number, number>();
  /** Queue pairs that have had a completion with an error, which drains what it flushes. */
  readonly #failed = new Set<number>();
  /** Completion queues that there are or were, and those that have been full. */
  readonly #cqs = new Set<number>();
  readonly #filled = new Set<number>();

  constructor(qps: QueuePairs, reporter: Findings<ScbId, Subject>, fatal: Pick<FatalEvents, 'mayFail'>) {
    this.#qps = qps;
    this.#fatal = fatal;
    this.#reporter = reporter;
  }

  // ---- what may be the ground of an event

  cqCreated(host: number, cqn: number): void {
    this.#cqs.add(key(host, cqn));
    this.#filled.delete(key(host, cqn));
  }

  cqFilled(host: number, cqn: number): void {
    this.#filled.add(key(host, cqn));
  }

  /** A modification of a queue pair begins or ends. */
  changes(host: number, qpn: number): void {
    const k = key(host, qpn);
    this.#changes.set(k, this.#changesOf(k) + 1);
  }

  /** Software takes a queue pair to RTR: a peer may talk to it before the command has ended. */
  toRtr(host: number, qpn: number): void {
    this.#listening.add(key(host, qpn));
  }

  drainAsked(host: number, qpn: number): void {
    const k = key(host, qpn);
    this.#asked.set(k, (this.#asked.get(k) ?? 0) + 1);
  }

  drainRefused(host: number, qpn: number): void {
    this.#takeAsked(key(host, qpn));
  }

  /** A completion of the queue pair has an error. */
  failed(host: number, qpn: number): void {
    this.#failed.add(key(host, qpn));
  }

  /** The queue pair begins anew, in RESET or INIT. */
  anew(host: number, qpn: number): void {
    this.#failed.delete(key(host, qpn));
  }

  // ---- events

  /** @param overflow what is known to be wrong with a completion queue that is said to have overflowed; undefined = that is not known */
  happened({ host, event, number }: AsyncEventItem, overflow?: string): void {
    const isRead = event === ASYNC_EVENT.cqErr && this.#fatal.mayFail(host, number);
    const problem = isRead ? '' : (overflow ?? this.#problem(host, event, number));
    if (problem !== '')
      this.#reporter.error(SCB.eventGroundless, () => `${ASYNC_EVENT_NAME[event] ?? event} event: ${problem}`, [
        theEventSource(host, event, number),
      ]);
  }

  /** What is wrong with an event that has come, '' where it may be right. */
  #problem(host: number, event: number, number: number): string {
    if (event === ASYNC_EVENT.cqErr) return this.#overrun(host, number);
    if (!QP_EVENTS.includes(event)) return '';
    const k = key(host, number);
    if (!this.#qps.latest(host, number).exists) return `host ${host} never had a queue pair ${number}`;
    const q = this.#qps.find(host, number);
    if (event === ASYNC_EVENT.sqDrained) {
      const grounded = this.#takeAsked(k) || this.#failed.has(k) || !q.exists;
      return grounded ? '' : `${qpName(q)}: nobody asked whether its send queue is drained`;
    }
    if (!q.exists) return '';
    if (event !== ASYNC_EVENT.commEst)
      return this.#again(k) ? `${qpName(q)}: an event has said already that it is in ERR` : '';
    return this.#listening.delete(k) ? '' : `${qpName(q)}: an event has said so since it went to RTR`;
  }

  /** @returns whether there was one */
  #takeAsked(k: number): boolean {
    const asked = this.#asked.get(k) ?? 0;
    this.#asked.set(k, Math.max(0, asked - 1));
    return asked > 0;
  }

  #overrun(host: number, cqn: number): string {
    const k = key(host, cqn);
    if (!this.#cqs.has(k)) return `host ${host} never had a completion queue ${cqn}`;
    return this.#filled.has(k) || this.#fatal.mayFail(host, cqn)
      ? ''
      : `host ${host} CQ ${cqn}: its entries were never all in use`;
  }

  /** Whether an event has said so before, and software has done nothing to the queue pair since. */
  #again(k: number): boolean {
    const changes = this.#changesOf(k);
    const again = this.#inError.get(k) === changes;
    this.#inError.set(k, changes);
    return again;
  }

  #changesOf(k: number): number {
    return this.#changes.get(k) ?? 0;
  }
}

/** Numbers of queue pairs and completion queues have fewer than 24 bits. */
function key(host: number, number: number): number {
  return host * 2 ** 24 + number;
}
