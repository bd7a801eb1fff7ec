/**
 * Plain WRITEs, of whose data nobody is told: their targets are open until everything is quiet, and what was not there
 * at their completion is judged then.
 *
 * Of WRITEs to the same bytes only the last of a queue pair must be seen there; of several queue pairs any may have
 * been the last. So each that is not right is judged while the others are open, but for those that its own queue pair
 * posted before it; where packets may overtake each other (UC), but for those of them that arrived before it.
 */

import { CAUSE } from '../model/outcomes.ts';
import { isClosed } from '../rules/remoteAccess.ts';
import { type Message, NO_MESSAGE, STAGE, NONE } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { DataJudge } from './dataJudge.ts';
import { TRANSFER } from './messageBuffers.ts';
import type { OracleState } from '../model/oracleState.ts';
import { completedWrite, judgedWrite, releaseIfDone } from '../model/queues.ts';
import type { WriteGuard } from './ranges/writeGuard.ts';

export class PlainWrites {
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #judge: DataJudge;

  constructor(state: OracleState, guard: WriteGuard, judge: DataJudge) {
    this.#s = state;
    this.#guard = guard;
    this.#judge = judge;
  }

  /** One completed with success: its data are usually there already; if not, later events decide. */
  completed(r: Message): void {
    if (!r.dataOpen || r.stage === STAGE.verified) return;
    const there = this.#judge.isRight(TRANSFER.write, r);
    if (there) judgedWrite(r);
    else this.#s.closedRanges.keepFrom(r.postedAt);
    completedWrite(r, there);
  }

  /** Closes, or opens again, the target of a WRITE and those of the WRITEs of its queue pair that are done before it. */
  toggle(last: Message, open: boolean): void {
    const { writeHead, options } = this.#s;
    const inAnyOrder = options.profiles.of(last.qp.remoteHost).writesInAnyOrder === true;
    for (let r = writeHead; r.exists; r = r === last ? NO_MESSAGE : r.link) {
      if (r.qp !== last.qp || !r.remoteOpen) continue;
      if (r !== last && (inAnyOrder || last.hasOvertaken(r.latestAt))) continue;
      if (open) this.#guard.openRemote(r, r.length);
      else this.#guard.closeRemote(r, false);
    }
  }

  /** The data of a WRITE are there, and its completion or what comes after it has been seen: nothing may be written again. */
  closeWritten(r: Message): void {
    if (!r.remoteOpen) return;
    this.#s.closedRanges.note(r.remoteBlock, r);
    this.#guard.closeRemote(r, false);
    r.remoteBlock = NONE;
  }

  /** Nothing is in flight: judges the WRITEs that have completed, closes their targets and forgets them. */
  settle(): void {
    if (!this.#s.writeHead.exists) return;
    if (!this.#allRight()) this.#judgeEach();
    this.#closeAll();
    this.#s.closedRanges.keepNothing();
  }

  /** True when the data of all of them is, or was at their completion, where it belongs. */
  #allRight(): boolean {
    let right = true;
    for (let r = this.#s.writeHead; r.exists; r = r.link) {
      if (!isDone(r) || r.stage === STAGE.verified) continue;
      if (this.#judge.isRight(TRANSFER.write, r)) judgedWrite(r);
      else right = false;
    }
    return right;
  }

  /** Some are not right. Those that are vouch once more for bytes that others have made uncertain. */
  #judgeEach(): void {
    for (let r = this.#s.writeHead; r.exists; r = r.link) {
      if (isDone(r) && r.stage !== STAGE.verified && !this.#judge.isRight(TRANSFER.write, r)) this.#wrong(r);
    }
    for (let r = this.#s.writeHead; r.exists; r = r.link) {
      if (isDone(r) && r.stage === STAGE.verified) this.#judge.isRight(TRANSFER.write, r);
    }
  }

  #wrong(r: Message): void {
    const type = r.qp.type;
    const lost = !r.arrived || r.altered || r.outcomes.has(CAUSE.keyDeregistered);
    if ((lost && type === QP_TYPE.uc) || this.#s.closedRanges.hasLost(r)) {
      this.#judge.mayBeLost(r);
      return;
    }
    this.toggle(r, false);
    this.#judge.judge(TRANSFER.write, r);
    this.toggle(r, true);
  }

  #closeAll(): void {
    const s = this.#s;
    let r = s.writeHead;
    let kept: Message = NO_MESSAGE;
    s.writeHead = NO_MESSAGE;
    s.writeTail = NO_MESSAGE;
    while (r.exists) {
      const next = r.link;
      r.link = NO_MESSAGE;
      if (!r.outstanding) {
        this.#close(r);
      } else {
        if (!kept.exists) s.writeHead = r;
        else kept.link = r;
        kept = r;
      }
      r = next;
    }
    s.writeTail = kept;
  }

  #close(r: Message): void {
    if (r.remoteOpen) this.#guard.closeRemote(r, r.mayVanish || isClosed(r));
    if (r.stage !== STAGE.verified) judgedWrite(r);
    const q = r.qp;
    q.sq.lateWrites = NO_MESSAGE;
    q.sq.writesThere = NO_MESSAGE;
    r.remoteBlock = NONE;
    r.stage = STAGE.settled;
    releaseIfDone(this.#s, r);
  }
}

/** Whether a WRITE has completed with success. */
function isDone(r: Message): boolean {
  return !r.outstanding && !r.mayVanish && !isClosed(r);
}
