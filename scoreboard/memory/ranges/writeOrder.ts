/**
 * The order of a reliable connection, of which plain WRITEs leave no other trace: what a queue pair wrote must be
 * visible when a later message of it is received, and what a later READ of it returns must hold it (roce-transport.md
 * 3.11, 5.2). Once that was seen, nothing of the WRITE may be written again: a second copy of it is not executed (3.5).
 *
 * A WRITE that may have been refused, and bytes that other outstanding requests may write, are not judged here.
 */

import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { DataJudge } from '../dataJudge.ts';
import { TRANSFER } from '../messageSides.ts';
import { shortRequestName } from '../../model/names.ts';
import { OP_MESSAGE, OP_WRITE, operationKind } from '../../model/operations.ts';
import { CHECK_LEVEL } from '../../model/options.ts';
import type { OracleState } from '../../model/oracleState.ts';
import type { PlainWrites } from '../plainWrites.ts';
import { NONE, Q_FLAGS, Q_LATE, Q_SQ_HEAD, Q_THERE, Q_TYPE, Q_WRITES, QF_BROKEN, QF_STOPS } from '../../model/qps.ts';
import { judgedWrite } from '../../model/queues.ts';
import {
  OPCODE_MASK,
  R_LINK,
  R_NEXT,
  R_QP,
  R_RHI,
  R_RLO,
  R_RSPACE,
  R_STATE,
  S_BAD,
  S_COMP,
  S_DATA,
  S_EITHER,
  S_FAILED,
  S_JUDGED,
  S_SHARED,
} from '../../model/requests.ts';
import { INDEX_BITS, TWO_32 } from '../../../uvm/bytes/words.ts';

/** What must be set, of these bits, for a plain WRITE whose data have yet to be judged and which nothing may stop. */
const SURE = S_DATA | S_FAILED | S_JUDGED | S_EITHER | S_SHARED | S_BAD;

export class WriteOrder {
  readonly #s: OracleState;
  readonly #writes: PlainWrites;
  readonly #judge: DataJudge;
  /** Below that level it is not known what outstanding requests may write. */
  readonly #on: boolean;

  constructor(state: OracleState, writes: PlainWrites, judge: DataJudge) {
    this.#s = state;
    this.#writes = writes;
    this.#judge = judge;
    this.#on = state.options.level >= CHECK_LEVEL.full;
  }

  /** A receive completed with message `r`. */
  message(r: number): void {
    const { qps, requests } = this.#s;
    const w = qps.words;
    const m = requests.words;
    const q = (m[r + R_QP] as number) & INDEX_BITS;
    if (w[q + Q_WRITES] === 0 && w[q + Q_THERE] === NONE) return;
    // Of a message that has completed at its sender it is not known which WRITEs came before it.
    if (((m[r + R_STATE] as number) & S_COMP) === 0 || !this.#isOrdered(q)) return;
    this.#late(q, NONE, r);
    this.#closeThere(q);
    for (let at = w[q + Q_SQ_HEAD] as number; at !== r && at !== NONE; at = m[at + R_NEXT] as number) {
      const state = m[at + R_STATE] as number;
      const plain = (operationKind(state & OPCODE_MASK) & (OP_WRITE | OP_MESSAGE)) === OP_WRITE;
      if (plain && (state & SURE) === S_DATA) this.#mustBeThere(at, r);
    }
  }

  /** READ `r` completed with success and has left its queue; its own ranges are closed. */
  read(r: number): void {
    const q = (this.#s.requests.words[r + R_QP] as number) & INDEX_BITS;
    if (this.#s.qps.words[q + Q_LATE] !== NONE && this.#isOrdered(q)) this.#late(q, r, r);
    if (!this.#judge.isRight(TRANSFER.read, r)) this.#wrongRead(q, r);
  }

  #isOrdered(q: number): boolean {
    const w = this.#s.qps.words;
    const sound = ((w[q + Q_FLAGS] as number) & (QF_BROKEN | QF_STOPS)) === 0;
    return this.#on === true && sound && w[q + Q_TYPE] === QP_TYPE.rc;
  }

  /** Judges what had not arrived at its own completion. @param read of them, only those with bytes of this READ, if any */
  #late(q: number, read: number, by: number): void {
    const { qps, requests } = this.#s;
    let r = qps.words[q + Q_LATE] as number;
    let kept: number = NONE;
    while (r !== NONE) {
      const next = requests.words[r + R_NEXT] as number;
      const state = requests.words[r + R_STATE] as number;
      if (read !== NONE && !this.#overlaps(read, r)) {
        requests.words[r + R_NEXT] = kept;
        kept = r;
      } else if ((state & SURE) === S_DATA) this.#mustBeThere(r, by);
      r = next;
    }
    qps.words[q + Q_LATE] = kept;
  }

  /** What was found at its completion, and comes again behind this message, would overwrite what its receiver may use. */
  #closeThere(q: number): void {
    const { qps, requests } = this.#s;
    for (let r = qps.words[q + Q_THERE] as number; r !== NONE; r = requests.words[r + R_NEXT] as number)
      this.#writes.closeWritten(r);
    qps.words[q + Q_THERE] = NONE;
  }

  #mustBeThere(r: number, by: number): void {
    const s = this.#s;
    if (this.#judge.isRight(TRANSFER.write, r)) {
      judgedWrite(s, r);
      this.#writes.closeWritten(r);
      return;
    }
    this.#writes.toggle(r, false);
    const settled = this.#judge.overtaken(r, () => shortRequestName(s, by));
    this.#writes.toggle(r, true);
    if (settled) judgedWrite(s, r);
    else s.requests.words[r + R_STATE] = (s.requests.words[r + R_STATE] as number) | S_SHARED;
  }

  /** What the queue pair wrote before a READ is done, so that it makes nothing uncertain. */
  #wrongRead(q: number, r: number): void {
    const last = this.#isOrdered(q) ? this.#lastDone(q) : NONE;
    if (last !== NONE) this.#writes.toggle(last, false);
    this.#judge.wrong(TRANSFER.read, r);
    if (last !== NONE) this.#writes.toggle(last, true);
  }

  /** The last plain WRITE of a queue pair that has completed and whose target is still open. */
  #lastDone(q: number): number {
    const m = this.#s.requests.words;
    let last: number = NONE;
    for (let r = this.#s.writeHead; r !== NONE; r = m[r + R_LINK] as number) {
      if (m[r + R_QP] === q && ((m[r + R_STATE] as number) & S_COMP) === 0) last = r;
    }
    return last;
  }

  #overlaps(a: number, b: number): boolean {
    const { requests } = this.#s;
    const m = requests.words;
    if (m[a + R_RSPACE] !== m[b + R_RSPACE]) return false;
    const hi = (m[b + R_RHI] as number) - (m[a + R_RHI] as number);
    const distance = hi * TWO_32 + ((m[b + R_RLO] as number) >>> 0) - ((m[a + R_RLO] as number) >>> 0);
    return distance < requests.length(a) && -distance < requests.length(b);
  }
}
