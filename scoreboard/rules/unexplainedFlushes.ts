/**
 * Work of reliable queue pairs that is flushed, and nothing tells why (roce-transport.md 4.2, 5.3). A responder that refuses a
 * request for good goes to the error state, and may flush its own work before its NAK is on the wire: behind a long answer, for
 * example. The refusal is the cause then. So the flush is reported once the NIC has come to rest without one.
 */

import type { Subject } from '../../rdma/subject.ts';
import { QP_STATE, QP_TYPE } from '../../rdma/verbs.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { AnyRequest, QueuePair } from '../model/work.ts';
import { SCB } from '../report/reportIds.ts';
import { theRequest } from '../report/subjects.ts';
import { anySendFails } from './failingSends.ts';

/** What is reported unless a refusal explains it. */
interface Finding {
  readonly text: string;
  readonly about: Subject;
}

/** A queue pair that flushes its work, or is about to. */
interface Flush {
  /** Null where a refusal that it has sent explains why. */
  readonly finding: Finding | null;
  /** Since when that is known, ps. */
  readonly at: number;
  /** Nothing was wrong with any request that it had posted by then. */
  readonly isInnocent: boolean;
}

export class UnexplainedFlushes {
  readonly #s: OracleState;
  readonly #flushes = new Map<QueuePair, Flush>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Whether there are any: the others need not be asked then. */
  get any(): boolean {
    return this.#flushes.size > 0;
  }

  /** Whether queue pair `q` may be about to refuse a request: its peer waits for an answer. */
  mayBeExplained(q: QueuePair): boolean {
    const { wire } = this.#s.options;
    return q.type === QP_TYPE.rc && wire.unanswered(q.remoteHost, q.host, q.qpn) > 0;
  }

  /** Request `r` of queue pair `q` is flushed for no reason that is known, which `text` says. */
  add(q: QueuePair, r: AnyRequest, text: string): void {
    const isInnocent = !r.outcomes.mayFail && !anySendFails(this.#s, q);
    this.#flushes.set(q, { finding: { text, about: [theRequest(r)] }, at: this.#s.clock.now, isInnocent });
  }

  /** Whether queue pair `q` has flushed something for no reason that was known then. */
  has(q: QueuePair): boolean {
    return this.#flushes.has(q);
  }

  /** Whether it flushes its work, and nothing was wrong with what it had posted: who refuses a request of it does so for nothing. */
  isInnocent(q: QueuePair): boolean {
    return this.#flushes.get(q)?.isInnocent === true;
  }

  /** Queue pair `q` has refused a request, which is reported: it flushes its work for that. */
  explain(q: QueuePair): void {
    const { clock } = this.#s;
    const isInnocent = this.#flushes.get(q)?.isInnocent ?? !anySendFails(this.#s, q);
    this.#flushes.set(q, { finding: null, at: clock.now, isInnocent });
  }

  /** Reports those whose NIC has come to rest since, or whose queue pair has a new life. */
  look(): void {
    const { wire } = this.#s.options;
    for (const [q, { finding, at }] of this.#flushes) {
      const isReset = q.state.now === QP_STATE.reset;
      if (isReset || (finding !== null && wire.hasRested(q.host, at))) this.#end(q);
    }
  }

  /** Nothing is in flight: no refusal is to come. */
  quiet(): void {
    for (const q of this.#flushes.keys()) this.#end(q);
  }

  #end(q: QueuePair): void {
    const { finding, at } = this.#flushes.get(q) as Flush;
    this.#flushes.delete(q);
    if (finding === null) return;
    const since = `it was seen at ${formatTime(at)}, and no refusal has followed that explains it`;
    this.#s.reporter.error(SCB.status, () => `${finding.text}; ${since}`, finding.about);
  }
}
