/** Bugs of many outstanding READs and atomics, and of atomics that are permitted after they were dropped. */
import { QPC_EXT } from '../../layout/contexts.ts';
import { mostAnswers, mostReads, extension } from '../../model/qpContext.ts';
import { Requester } from '../../model/transport/requester.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { isFetch } from '../../layout/queues.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { MANY_ROWS } from './rows/manyRows.ts';

/** Has resources for as many as the byte of its context says. */
class AnswersOfByte extends ResponseUnit {
  override hasRoom(slot: QpSlot, c: number): boolean {
    return slot.respReads < (extension(this.core.bytes.i32, c) & 0xff);
  }
}

/** Takes 256 for no limit at all. */
class ReadsUnlimited extends Requester {
  protected override mayFetch(slot: QpSlot, c: number, r: SendRequest): boolean {
    const w = this.core.bytes.i32;
    const many = ((extension(w, c) >>> 24) & QPC_EXT.manyReads) !== 0;
    return (many && isFetch(r.opcode)) || super.mayFetch(slot, c, r);
  }
}

/** Sends one more than both sides have agreed upon. */
class OneMore extends Requester {
  protected override mayFetch(slot: QpSlot, c: number, r: SendRequest): boolean {
    return super.mayFetch(slot, c, r) || (isFetch(r.opcode) && slot.reads === mostReads(this.core.bytes.i32, c));
  }
}

/** Finds room for 128 at most. */
class HalfRoom extends ResponseUnit {
  override hasRoom(slot: QpSlot, c: number): boolean {
    return super.hasRoom(slot, c) && slot.respReads < Math.min(128, mostAnswers(this.core.bytes.i32, c));
  }
}

/** Drops an atomic again that it has dropped once, although it is permitted by now. */
class NeverForgives extends Responder {
  readonly #dropped = new Map<QpSlot, number>();
  protected override discard(slot: QpSlot, c: number, p: RxPacket): number {
    this.#dropped.set(slot, p.psn);
    return super.discard(slot, c, p);
  }
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const again = (p.bits & OP.atomic) !== 0 && this.#dropped.get(slot) === p.psn;
    return again ? this.discard(slot, c, p) : super.admit(slot, c, p, service);
  }
}

export const MANY_FAULTS = faultsOf(MANY_ROWS, {
  answers_of_byte: planted({ responses: AnswersOfByte }),
  reads_unlimited: planted({ requester: ReadsUnlimited }),
  reads_one_more: planted({ requester: OneMore }),
  answers_half: planted({ responses: HalfRoom }),
  atomic_never_forgiven: planted({ responder: NeverForgives }),
});
