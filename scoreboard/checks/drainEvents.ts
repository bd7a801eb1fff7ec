/**
 * SQ_DRAINED events that a NIC owes: software has told it to drain the send queue of a queue pair and to say when that
 * is done (roce-transport.md 5.6, 6.2). With nothing left to do the event is due; nobody else would miss it, for no
 * request waits for it.
 */

import type { QueuePair } from '../model/work.ts';
import { idleTime } from './liveness.ts';
import { qpName } from '../model/names.ts';
import type { Draining, OracleState } from '../model/oracleState.ts';
import { oldestUndone } from '../rules/unsignalledSends.ts';
import { isAlive } from '../report/pending.ts';
import { SCB } from '../report/reportIds.ts';
import { countedAre } from '../../uvm/report/counted.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { aMoment } from '../../rdma/subjectParts.ts';
import { theQueuePair } from '../report/subjects.ts';

export class DrainEvents {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Whether there is anything to look after. */
  get any(): boolean {
    return this.#s.draining.size > 0;
  }

  /** The NIC has taken the command to drain a queue pair, and has not said yet that it has done so. */
  begin(q: QueuePair): void {
    const { clock, service, draining } = this.#s;
    draining.set(q, { since: clock.now, service, reported: false });
  }

  /** The event has come, or software wants something else of the queue pair now. */
  end(q: QueuePair): void {
    this.#s.draining.delete(q);
  }

  /**
   * Reports every event that is due and does not come for the stall time, once.
   * @param dead nothing is scheduled any more, so that waiting longer is of no use
   */
  check(dead: boolean): void {
    for (const [q, owed] of this.#s.draining) {
      if (owed.reported || !this.#isDue(q, owed) || !(dead || this.#isIdle(q, owed))) continue;
      owed.reported = true;
      this.#report(q, owed, dead);
    }
  }

  /** Whether nothing is left that the NIC may have begun: what was posted after the command has to wait. */
  #isDue(q: QueuePair, { since }: Draining): boolean {
    if (!isAlive(q) || q.sendsFail || q.stops) return false;
    const oldest = oldestUndone(this.#s, q);
    return !oldest.exists || oldest.postedAt >= since;
  }

  #isIdle(q: QueuePair, { since, service }: Draining): boolean {
    const { clock, service: now, options } = this.#s;
    const waited = clock.now - since - (now - service);
    return Math.min(waited, idleTime(this.#s, q)) >= options.stallTime;
  }

  #report(q: QueuePair, { since }: Draining, dead: boolean): void {
    const s = this.#s;
    const behind = q.sq.length;
    const left =
      behind === 0
        ? 'nothing of its send queue is outstanding'
        : `all that was posted before is done (${countedAre(behind, 'request')} posted since, which must wait)`;
    const last = q.progressAt;
    const moved = last > 0 ? `, last progress at ${logTime(last)}` : '';
    const now = dead ? 'nothing can happen any more' : `nothing has come for ${formatTime(s.options.stallTime)}`;
    s.reporter.error(
      SCB.asyncEvent,
      () =>
        `${qpName(q)}: no SQ_DRAINED event came although it was told at ${logTime(since)} to drain its send queue ` +
        `and to say so; ${left}${moved}, and ${now}`,
      [theQueuePair(q), aMoment(since)],
    );
  }
}
