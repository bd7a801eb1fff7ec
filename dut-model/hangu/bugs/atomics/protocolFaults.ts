/** Bugs of how atomics are asked for, checked and answered. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { isAtomic } from '../../layout/queues.ts';
import type { SendRequest, QpSlot } from '../../model/transport/qpSlot.ts';
import { expectedPsn, setExpectedPsn } from '../../model/qpContext.ts';
import { Requester } from '../../model/transport/requester.ts';
import { RequesterReceive } from '../../model/transport/requesterReceive.ts';
import { RequestPackets } from '../../model/transport/requestPackets.ts';
import { Responder } from '../../model/transport/responder.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { swap32 } from '../../../roce/endian.ts';
import { FrameParser } from '../../../roce/frameParser.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { PROTOCOL_ROWS } from './rows/protocolRows.ts';

/** Executes an atomic again when it comes again. */
class ExecutesAgain extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if (!this.executes(c, p)) return super.admit(slot, c, p, service);
    const w = this.core.bytes.i32;
    const expected = expectedPsn(w, c);
    setExpectedPsn(w, c, p.psn);
    const outcome = super.admit(slot, c, p, service);
    setExpectedPsn(this.core.bytes.i32, c, expected);
    return outcome;
  }

  protected executes(c: number, p: RxPacket): boolean {
    return (p.bits & OP.atomic) !== 0 && psnCmp(p.psn, expectedPsn(this.core.bytes.i32, c)) < 0;
  }
}

/** Now and then executes an atomic again when it comes again. */
class ExecutesSomeAgain extends ExecutesAgain {
  readonly #turn = new Every(7);

  protected override executes(c: number, p: RxPacket): boolean {
    // One whose result is being looked up is not asked about again.
    return p.work === null && super.executes(c, p) && this.#turn.hit();
  }
}

/** Says nothing to a repeated atomic. */
class DeafToRepeats extends Responder {
  protected override repeatAtomic(): number {
    return 0;
  }
}

/** Takes words at any address. */
class TakesAnyAddress extends Responder {
  protected override isAligned(): boolean {
    return true;
  }
}

/** Takes words at addresses that are multiples of four. */
class TakesHalfWords extends Responder {
  protected override isAligned(p: RxPacket): boolean {
    return (p.vaLo & 3) === 0;
  }
}

/** Does not ask whether its queue pair permits atomics. */
class PermitsAtomics extends Responder {
  protected override rightsAllow(c: number, p: RxPacket): boolean {
    return (p.bits & OP.atomic) !== 0 || super.rightsAllow(c, p);
  }
}

/** Does not ask whether a region permits atomics. */
class OpensAll extends Responder {
  protected override checkKey(c: number, p: RxPacket, need: number): number {
    return super.checkKey(c, p, p.bits & OP.atomic ? 0 : need);
  }
}

/** Takes the right to write for the right to atomics. */
class WriteIsEnough extends Responder {
  protected override checkKey(c: number, p: RxPacket, need: number): number {
    return super.checkKey(c, p, p.bits & OP.atomic ? MPT_PERMISSION.remoteWrite : need);
  }
}

/** Goes on behind an atomic that it has dropped. */
class GoesOn extends Responder {
  protected override discard(slot: QpSlot, c: number, p: RxPacket): number {
    const outcome = super.discard(slot, c, p);
    setExpectedPsn(this.core.bytes.i32, c, psnAdd(p.psn, 1));
    return outcome;
  }
}

/** Answers atomics of a queue pair that is to answer none. */
class AlwaysRoom extends ResponseUnit {
  override hasRoom(): boolean {
    return true;
  }
}

/** Answers an atomic as if it were a READ. */
class AnswersRead extends ResponseUnit {
  protected override atomicOperation(): number {
    return BTH_OP.readResponseOnly;
  }
}

/** Sends the original value with its least significant byte first. */
class LittleAnswer extends ResponseUnit {
  protected override original(i: number, hi: number, lo: number): void {
    super.original(i, swap32(lo), swap32(hi));
  }
}

/** Sends no value. */
class EmptyAnswer extends ResponseUnit {
  protected override original(i: number): void {
    super.original(i, 0, 0);
  }
}

/** Sends the compare operand where the swap operand belongs, and the other way round. */
class OperandsSwapped extends RequestPackets {
  protected override operands(i: number, r: SendRequest): void {
    super.operands(i, r);
    const w = this.core.bytes.i32;
    const [a, b] = [w[i] as number, w[i + 1] as number];
    w[i] = w[i + 2] as number;
    w[i + 1] = w[i + 3] as number;
    w[i + 2] = a;
    w[i + 3] = b;
  }
}

/** Sends operands with their least significant byte first. */
class LittleOperands extends RequestPackets {
  protected override operands(i: number, r: SendRequest): void {
    super.operands(i, r);
    const w = this.core.bytes.i32;
    for (const at of [i, i + 2]) {
      const hi = w[at] as number;
      w[at] = swap32(w[at + 1] as number);
      w[at + 1] = swap32(hi);
    }
  }
}

/** Puts the result into memory with its most significant byte first. */
class BigResult extends RequesterReceive {
  protected override original(w: Int32Array, at: number, p: RxPacket): void {
    w[at] = swap32(p.swapHi);
    w[at + 1] = swap32(p.swapLo);
  }
}

/** Reads the lower half of a result twice. */
class HalfAnswer extends FrameParser {
  protected override atomicAnswer(w: Int32Array, k: number, p: RxPacket): void {
    super.atomicAnswer(w, k, p);
    p.swapHi = p.swapLo;
  }
}

/** Does not count atomics among the READs that may be outstanding. */
class Unlimited extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const { reads } = slot;
    if (isAtomic(r.opcode) && !r.fence) slot.reads = 0;
    const may = super.mayTransmit(slot, c, r);
    slot.reads = reads;
    return may;
  }
}

/** Lets a fenced request pass an atomic. */
class NoFence extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const { fence } = r;
    r.fence = fence && slot.head !== null && !isAtomic(slot.head.opcode);
    const may = super.mayTransmit(slot, c, r);
    r.fence = fence;
    return may;
  }
}

/** Takes lists of any length for the result of an atomic. */
class AnyLength extends SendQueue {
  protected override checkLength(r: SendRequest, service: number, c: number): void {
    const { length } = r;
    if (isAtomic(r.opcode)) r.length = 8;
    super.checkLength(r, service, c);
    r.length = length;
  }
}

export const PROTOCOL_FAULTS = faultsOf(PROTOCOL_ROWS, {
  atomic_executed_twice: planted({ responder: ExecutesAgain }),
  atomic_executed_again: planted({ responder: ExecutesSomeAgain }),
  atomic_repeat_dropped: planted({ responder: DeafToRepeats }),
  atomic_misaligned_taken: planted({ responder: TakesAnyAddress }),
  atomic_half_words_taken: planted({ responder: TakesHalfWords }),
  atomic_qp_rights: planted({ responder: PermitsAtomics }),
  atomic_region_rights: planted({ responder: OpensAll }),
  atomic_write_right: planted({ responder: WriteIsEnough }),
  atomic_not_held_back: planted({ responder: GoesOn }),
  atomic_no_room: planted({ responses: AlwaysRoom }),
  atomic_read_answer: planted({ responses: AnswersRead }),
  atomic_answer_little: planted({ responses: LittleAnswer }),
  atomic_answer_empty: planted({ responses: EmptyAnswer }),
  atomic_operands_swapped: planted({ requestPackets: OperandsSwapped }),
  atomic_operands_little: planted({ requestPackets: LittleOperands }),
  atomic_result_big: planted({ requesterReceive: BigResult }),
  atomic_result_half: planted({ parser: HalfAnswer }),
  atomic_no_limit: planted({ requester: Unlimited }),
  atomic_fence_ignored: planted({ requester: NoFence }),
  atomic_any_length: planted({ sendQueue: AnyLength }),
});
