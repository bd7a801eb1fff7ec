/**
 * The order of a reliable connection, of which plain WRITEs leave no other trace: what a queue pair wrote must be
 * visible when a later message of it is received, and what a later READ of it returns must hold it (roce-transport.md
 * 3.11, 5.2). Once that was seen, nothing of the WRITE may be written again: a second copy of it is not executed (3.5).
 *
 * A WRITE that may have been refused, and bytes that other outstanding requests may write, are not judged here.
 */

import { CAUSE } from '../../model/outcomes.ts';
import { type Message, type QueuePair, NO_MESSAGE, STAGE } from '../../model/work.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { DataJudge } from '../dataJudge.ts';
import { TRANSFER } from '../messageBuffers.ts';
import { shortRequestName } from '../../model/names.ts';
import { OP_MESSAGE, OP_WRITE, operationKind } from '../../model/operations.ts';
import { CHECK_LEVEL } from '../../model/options.ts';
import type { OracleState } from '../../model/oracleState.ts';
import type { PlainWrites } from '../plainWrites.ts';
import { judgedWrite } from '../../model/queues.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

/** What must be set, of these bits, for a plain WRITE whose data have yet to be judged and which nothing may stop. */

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
  message(r: Message): void {
    const q = r.qp;
    if (q.sq.writes === 0 && !q.sq.writesThere.exists) return;
    // Of a message that has completed at its sender it is not known which WRITEs came before it.
    if (!r.outstanding || !this.#isOrdered(q)) return;
    this.#late(q, NO_MESSAGE, r);
    this.#closeThere(q);
    for (let at = q.sq.head; at !== r && at.exists; at = at.next) {
      const plain = (operationKind(at.opcode) & (OP_WRITE | OP_MESSAGE)) === OP_WRITE;
      if (plain && mustBeJudged(at)) this.#mustBeThere(at, r);
    }
  }

  /** READ `r` completed with success and has left its queue; its own ranges are closed. */
  read(r: Message): void {
    const q = r.qp;
    if (q.sq.lateWrites.exists && this.#isOrdered(q)) this.#late(q, r, r);
    if (!this.#judge.isRight(TRANSFER.read, r)) this.#wrongRead(q, r);
  }

  #isOrdered(q: QueuePair): boolean {
    const sound = !(q.broken || q.stops);
    return this.#on === true && sound && q.type === QP_TYPE.rc;
  }

  /** Judges what had not arrived at its own completion. @param read of them, only those with bytes of this READ, if any */
  #late(q: QueuePair, read: Message, by: Message): void {
    let r = q.sq.lateWrites;
    let kept: Message = NO_MESSAGE;
    while (r.exists) {
      const next = r.next;
      if (read.exists && !this.#overlaps(read, r)) {
        r.next = kept;
        kept = r;
      } else if (mustBeJudged(r)) this.#mustBeThere(r, by);
      r = next;
    }
    q.sq.lateWrites = kept;
  }

  /** What was found at its completion, and comes again behind this message, would overwrite what its receiver may use. */
  #closeThere(q: QueuePair): void {
    for (let r = q.sq.writesThere; r.exists; r = r.next) this.#writes.closeWritten(r);
    q.sq.writesThere = NO_MESSAGE;
  }

  #mustBeThere(r: Message, by: Message): void {
    if (this.#judge.isRight(TRANSFER.write, r)) {
      judgedWrite(r);
      this.#writes.closeWritten(r);
      return;
    }
    this.#writes.toggle(r, false);
    const settled = this.#judge.overtaken(r, () => shortRequestName(by));
    this.#writes.toggle(r, true);
    if (settled) judgedWrite(r);
    else r.shared = true;
  }

  /** What the queue pair wrote before a READ is done, so that it makes nothing uncertain. */
  #wrongRead(q: QueuePair, r: Message): void {
    const last = this.#isOrdered(q) ? this.#lastDone(q) : NO_MESSAGE;
    if (last.exists) this.#writes.toggle(last, false);
    this.#judge.wrong(TRANSFER.read, r);
    if (last.exists) this.#writes.toggle(last, true);
  }

  /** The last plain WRITE of a queue pair that has completed and whose target is still open. */
  #lastDone(q: QueuePair): Message {
    let last: Message = NO_MESSAGE;
    for (let r = this.#s.writeHead; r.exists; r = r.link) {
      if (r.qp === q && !r.outstanding) last = r;
    }
    return last;
  }

  #overlaps(a: Message, b: Message): boolean {
    if (a.remoteSpace !== b.remoteSpace) return false;
    const hi = b.remoteHi - a.remoteHi;
    const distance = hi * TWO_32 + (b.remoteLo >>> 0) - (a.remoteLo >>> 0);
    return distance < a.length && -distance < b.length;
  }
}

/** Whether the data of a plain WRITE have not been judged, and must be there. */
function mustBeJudged({ stage, mayVanish, shared, outcomes }: Message): boolean {
  const isOpen = stage !== STAGE.settled && stage !== STAGE.verified;
  return isOpen && !mayVanish && !shared && !outcomes.isBad && !outcomes.has(CAUSE.rightsChange);
}
