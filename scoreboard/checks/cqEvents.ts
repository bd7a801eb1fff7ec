/**
 * Events of completion queues that software has armed, for any completion or for solicited ones: then one comes for a
 * completion with an error or the receive of a solicited message, and for no other (roce-transport.md 5.4).
 */

import type { Subject } from '../../rdma/subject.ts';
import type { Findings } from '../../uvm/report/findings.ts';
import { SCB, type ScbId } from '../report/reportIds.ts';
import { aCompletionQueue } from '../../rdma/subjectParts.ts';

/** What a completion means to a queue that is armed for solicited ones. */
export const INTEREST = {
  none: 0,
  /** It cannot be told which message it is for. */
  open: 1,
  solicited: 2,
} as const;
/** One of them. */
export type Interest = (typeof INTEREST)[keyof typeof INTEREST];

/** How a queue is armed. */
const ARMED = { no: 0, solicited: 1, any: 2 } as const;

/** A queue that has been armed. */
interface Watched {
  readonly host: number;
  readonly cqn: number;
  /** Completions since the queue is watched; of them the latest that surely was solicited, and that may have been. */
  count: number;
  solicited: number;
  perhaps: number;
  armed: (typeof ARMED)[keyof typeof ARMED];
  /** Times that it was armed, without the events that have come: armed twice, it may send one event or two. */
  armings: number;
  /** Completions, counted as above, that software had taken when it armed the queue, and when it did so for any. */
  seen: number;
  seenByAny: number;
  /** It owed an event when everything was quiet. */
  due: boolean;
}

export class CqEvents {
  /** Some queue is watched. */
  watching = false;
  readonly #reporter: Findings<ScbId, Subject>;
  readonly #watched = new Map<number, Watched>();

  constructor(reporter: Findings<ScbId, Subject>) {
    this.#reporter = reporter;
  }

  /**
   * Software has armed a queue.
   * @param solicitedOnly as it is armed now: for solicited completions does not weaken what was asked for before
   * @param unseen completions in memory that software has not taken
   */
  arm(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    const w = this.#find(host, cqn) ?? this.#watch(host, cqn, unseen);
    // What a queue was armed for before may be what its next event is for.
    if (w.armed === ARMED.no) w.seen = w.count - unseen;
    if (w.armed !== ARMED.any) w.seenByAny = w.count - unseen;
    w.armed = solicitedOnly ? ARMED.solicited : ARMED.any;
    w.armings++;
  }

  /** A completion is in memory. */
  completed(host: number, cqn: number, interest: Interest): void {
    const w = this.#find(host, cqn);
    if (w === undefined) return;
    w.count++;
    if (interest !== INTEREST.none) w.perhaps = w.count;
    if (interest === INTEREST.solicited) w.solicited = w.count;
  }

  /** Software was told of an event. */
  event(host: number, cqn: number): void {
    const w = this.#find(host, cqn);
    if (w === undefined || w.armings === 0) this.#unarmed(host, cqn);
    if (w === undefined) return;
    if (w.armings === 1 && w.count <= w.seen) this.#empty(w);
    else if (w.armed === ARMED.solicited && w.armings === 1 && w.perhaps <= w.seen) this.#unsolicited(w);
    w.armings = Math.max(0, w.armings - 1);
    w.armed = ARMED.no;
    w.due = false;
  }

  /** The queue has been destroyed, by whose end nothing more can come. */
  gone(host: number, cqn: number): void {
    const w = this.#find(host, cqn);
    if (w === undefined) return;
    if (w.due) this.#lost(w);
    this.#watched.delete(key(host, cqn));
  }

  /** The NIC of a host was reset: its queues are gone, with the events that they owed (`DeviceLife`). */
  forget(host: number): void {
    for (const [which, w] of this.#watched) if (w.host === host) this.#watched.delete(which);
  }

  /** Nothing is in flight. A slow NIC may be silent while it thinks: an event is lost when it has not come by the next time. */
  quiet(): void {
    for (const w of this.#watched.values()) {
      if (w.due) this.#lost(w);
      w.due = isOwed(w);
    }
  }

  #find(host: number, cqn: number): Watched | undefined {
    return this.#watched.get(key(host, cqn));
  }

  /** Begins to watch a queue. Of the completions in memory already it is not known whether they are solicited. */
  #watch(host: number, cqn: number, unseen: number): Watched {
    const counts = { count: 0, solicited: -unseen, perhaps: 0, seen: 0, seenByAny: 0 };
    const w: Watched = { host, cqn, ...counts, armed: ARMED.no, armings: 0, due: false };
    this.#watched.set(key(host, cqn), w);
    this.watching = true;
    return w;
  }

  #unarmed(host: number, cqn: number): void {
    this.#reporter.error(SCB.eventUnarmed, () => `host ${host} CQ ${cqn} fired without being armed`, [
      aCompletionQueue(host, cqn),
    ]);
  }

  #empty({ host, cqn, armed }: Watched): void {
    const which = armed === ARMED.solicited ? 'solicited completion' : 'completion';
    const text = `fired for the next ${which}, but none has come since: software had taken all when it was armed`;
    this.#reporter.error(SCB.eventEmpty, () => `host ${host} CQ ${cqn} ${text}`, [aCompletionQueue(host, cqn)]);
  }

  #unsolicited({ host, cqn, count, seen }: Watched): void {
    const came = count === seen ? 'none has come' : `of the ${count - seen} that software had not taken then none is`;
    const text = `for solicited completions, but ${came} solicited or an error`;
    this.#reporter.error(SCB.unsolicited, () => `host ${host} CQ ${cqn} fired although it was armed ${text}`, [
      aCompletionQueue(host, cqn),
    ]);
  }

  #lost(w: Watched): void {
    const { host, cqn, armed, count, seen, solicited } = w;
    const what = armed === ARMED.any ? 'any completion' : 'solicited completions';
    const came = `${count - seen} have come that software had not taken when it armed the queue`;
    const kind = solicited > seen ? ', a solicited one or an error among them' : '';
    const text = `is armed for ${what}, and ${came}${kind}`;
    this.#reporter.error(SCB.eventLost, () => `host ${host} CQ ${cqn} ${text}; the NIC has sent no event`, [
      aCompletionQueue(host, cqn),
    ]);
    w.armed = ARMED.no;
    w.due = false;
  }
}

function isOwed({ armed, count, solicited, seen, seenByAny }: Watched): boolean {
  if (armed === ARMED.no) return false;
  return solicited > seen || (armed === ARMED.any && count > seenByAny);
}

/** Queue numbers have fewer than 24 bits. */
function key(host: number, cqn: number): number {
  return host * 2 ** 24 + cqn;
}
