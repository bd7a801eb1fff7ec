/**
 * Plain WRITEs, of whose data nobody is told: their targets are open until everything is quiet, and what was not there
 * at their completion is judged then.
 *
 * Of WRITEs to the same bytes only the last of a queue pair must be seen there; of several queue pairs any may have
 * been the last. So each that is not right is judged while the others are open, but for those that its own queue pair
 * posted before it.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import type { DataJudge } from './dataJudge.ts';
import { TRANSFER } from './messageSides.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_LATE, Q_THERE, Q_TYPE } from '../model/qps.ts';
import { completedWrite, judgedWrite, releaseIfDone } from '../model/queues.ts';
import {
  R_LINK,
  R_QP,
  R_REMOTE_BLOCK,
  R_STATE,
  S_BAD_KEY,
  S_COMP,
  S_DATA,
  S_FAILED,
  S_JUDGED,
  S_REMOTE,
  S_WITHDRAWN,
} from '../model/requests.ts';
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
  completed(r: number): void {
    const state = this.#s.requests.words[r + R_STATE] as number;
    if ((state & (S_DATA | S_JUDGED)) !== S_DATA) return;
    const there = this.#judge.isRight(TRANSFER.write, r);
    if (there) judgedWrite(this.#s, r);
    else this.#s.closedRanges.keepFrom(this.#s.requests.postedAt(r));
    completedWrite(this.#s, r, there ? Q_THERE : Q_LATE);
  }

  /** Closes, or opens again, the target of a WRITE and those of the WRITEs of its queue pair before it. */
  toggle(last: number, open: boolean): void {
    const { requests, writeHead } = this.#s;
    const m = requests.words;
    for (let r = writeHead; r !== NONE; r = r === last ? NONE : (m[r + R_LINK] as number)) {
      if (m[r + R_QP] !== m[last + R_QP] || ((m[r + R_STATE] as number) & S_REMOTE) === 0) continue;
      if (open) this.#guard.openRemote(r, requests.length(r));
      else this.#guard.closeRemote(r, false);
    }
  }

  /** The data of a WRITE are there, and its completion or what comes after it has been seen: nothing may be written again. */
  closeWritten(r: number): void {
    const m = this.#s.requests.words;
    const state = m[r + R_STATE] as number;
    if ((state & S_REMOTE) === 0) return;
    this.#s.closedRanges.note(m[r + R_REMOTE_BLOCK] as number, r);
    this.#guard.closeRemote(r, false);
    m[r + R_STATE] = state & ~S_REMOTE;
  }

  /** Nothing is in flight: judges the WRITEs that have completed, closes their targets and forgets them. */
  settle(): void {
    if (this.#s.writeHead === NONE) return;
    if (!this.#allRight()) this.#judgeEach();
    this.#closeAll();
    this.#s.closedRanges.keepNothing();
  }

  /** True when the data of all of them is, or was at their completion, where it belongs. */
  #allRight(): boolean {
    const m = this.#s.requests.words;
    let right = true;
    for (let r = this.#s.writeHead; r !== NONE; r = m[r + R_LINK] as number) {
      const state = m[r + R_STATE] as number;
      if ((state & (S_COMP | S_FAILED | S_BAD_KEY | S_JUDGED)) !== 0) continue;
      if (this.#judge.isRight(TRANSFER.write, r)) judgedWrite(this.#s, r);
      else right = false;
    }
    return right;
  }

  /** Some are not right. Those that are vouch once more for bytes that others have made uncertain. */
  #judgeEach(): void {
    const m = this.#s.requests.words;
    for (let r = this.#s.writeHead; r !== NONE; r = m[r + R_LINK] as number) {
      if (this.#is(r, 0) && !this.#judge.isRight(TRANSFER.write, r)) this.#wrong(r);
    }
    for (let r = this.#s.writeHead; r !== NONE; r = m[r + R_LINK] as number) {
      if (this.#is(r, S_JUDGED)) this.#judge.isRight(TRANSFER.write, r);
    }
  }

  /** Whether a WRITE has completed with success and has been found right (`S_JUDGED`) or not (0). */
  #is(r: number, judged: number): boolean {
    const state = this.#s.requests.words[r + R_STATE] as number;
    return (state & (S_COMP | S_FAILED | S_BAD_KEY | S_JUDGED)) === judged;
  }

  #wrong(r: number): void {
    const { requests, qps, options } = this.#s;
    const type = qps.words[(requests.words[r + R_QP] as number) + Q_TYPE];
    const lost = options.lossAllowed || ((requests.words[r + R_STATE] as number) & S_WITHDRAWN) !== 0;
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
    const m = s.requests.words;
    let r = s.writeHead;
    let kept: number = NONE;
    s.writeHead = NONE;
    s.writeTail = NONE;
    while (r !== NONE) {
      const next = m[r + R_LINK] as number;
      m[r + R_LINK] = NONE;
      if (((m[r + R_STATE] as number) & S_COMP) === 0) {
        this.#close(r);
      } else {
        if (kept === NONE) s.writeHead = r;
        else m[kept + R_LINK] = r;
        kept = r;
      }
      r = next;
    }
    s.writeTail = kept;
  }

  #close(r: number): void {
    const m = this.#s.requests.words;
    const state = m[r + R_STATE] as number;
    if ((state & S_REMOTE) !== 0) this.#guard.closeRemote(r, (state & (S_FAILED | S_BAD_KEY)) !== 0);
    if ((state & S_JUDGED) === 0) judgedWrite(this.#s, r);
    const q = m[r + R_QP] as number;
    this.#s.qps.words[q + Q_LATE] = NONE;
    this.#s.qps.words[q + Q_THERE] = NONE;
    m[r + R_STATE] = state & ~(S_REMOTE | S_DATA);
    releaseIfDone(this.#s, r);
  }
}
