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
import { Every, type Fault, planted } from '../fault.ts';
import { COUNTERS, DISCARDED, FENCED, LIMITED, REFUSED, REPEATS, STORM } from './atomicStimulus.ts';

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

export const PROTOCOL_FAULTS: readonly Fault[] = [
  {
    name: 'atomic_executed_twice',
    block: 'responder',
    description: 'an atomic that comes again is executed again',
    caughtBy: ['SEQ_ATOMIC'],
    needs: REPEATS,
    create: planted({ responder: ExecutesAgain }),
  },
  {
    name: 'atomic_executed_again',
    block: 'responder',
    description: 'every seventh atomic that comes again is executed again',
    caughtBy: ['WIRE_ATOMIC_REPEAT', 'SCB_ATOMIC_WRITE', 'SCB_ATOMIC_ORDER', 'SCB_ATOMIC_RESULT'],
    needs: STORM,
    create: planted({ responder: ExecutesSomeAgain }),
  },
  {
    name: 'atomic_repeat_dropped',
    block: 'responder',
    description: 'an atomic that comes again has no answer',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS', 'SEQ_ATOMIC'],
    needs: REPEATS,
    create: planted({ responder: DeafToRepeats }),
  },
  {
    name: 'atomic_misaligned_taken',
    block: 'responder',
    description: 'an atomic at an address that is no multiple of eight is executed',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS'],
    needs: REFUSED,
    create: planted({ responder: TakesAnyAddress }),
  },
  {
    name: 'atomic_half_words_taken',
    block: 'responder',
    description: 'an atomic at an address that is a multiple of four is executed',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS'],
    needs: REFUSED,
    create: planted({ responder: TakesHalfWords }),
  },
  {
    name: 'atomic_qp_rights',
    block: 'responder',
    description: 'atomics are executed on a queue pair that does not permit them',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS'],
    needs: REFUSED,
    create: planted({ responder: PermitsAtomics }),
  },
  {
    name: 'atomic_region_rights',
    block: 'responder',
    description: 'atomics are executed on any region whose key they have',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS'],
    needs: REFUSED,
    create: planted({ responder: OpensAll }),
  },
  {
    name: 'atomic_write_right',
    block: 'responder',
    description: 'a region that may be written takes atomics',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS'],
    needs: REFUSED,
    create: planted({ responder: WriteIsEnough }),
  },
  {
    name: 'atomic_not_held_back',
    block: 'responder',
    description: 'requests behind an atomic that was dropped are executed',
    caughtBy: ['SEQ_ATOMIC'],
    needs: DISCARDED,
    create: planted({ responder: GoesOn }),
  },
  {
    name: 'atomic_no_room',
    block: 'responder',
    description: 'atomics are answered by a queue pair that is to answer none',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS'],
    needs: REFUSED,
    create: planted({ responses: AlwaysRoom }),
  },
  {
    name: 'atomic_read_answer',
    block: 'responder',
    description: 'an atomic is answered as a READ',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS', 'WIRE_RESPONSE'],
    needs: COUNTERS,
    create: planted({ responses: AnswersRead }),
  },
  {
    name: 'atomic_answer_little',
    block: 'responder',
    description: 'the original value leaves with its least significant byte first',
    caughtBy: ['SEQ_ATOMIC'],
    needs: COUNTERS,
    create: planted({ responses: LittleAnswer }),
  },
  {
    name: 'atomic_answer_empty',
    block: 'responder',
    description: 'the original value leaves as 0',
    caughtBy: ['SEQ_ATOMIC'],
    needs: COUNTERS,
    create: planted({ responses: EmptyAnswer }),
  },
  {
    name: 'atomic_operands_swapped',
    block: 'requester',
    description: 'the operands of an atomic change places',
    caughtBy: ['SEQ_ATOMIC', 'SCB_WIRE_DATA'],
    needs: COUNTERS,
    create: planted({ requestPackets: OperandsSwapped }),
  },
  {
    name: 'atomic_operands_little',
    block: 'requester',
    description: 'operands leave with their least significant byte first',
    caughtBy: ['SEQ_ATOMIC', 'SCB_WIRE_DATA'],
    needs: COUNTERS,
    create: planted({ requestPackets: LittleOperands }),
  },
  {
    name: 'atomic_result_big',
    block: 'requester',
    description: 'a result is put into memory with its most significant byte first',
    caughtBy: ['SEQ_ATOMIC'],
    needs: COUNTERS,
    create: planted({ requesterReceive: BigResult }),
  },
  {
    name: 'atomic_result_half',
    block: 'requester',
    description: 'both halves of a result are the lower one',
    caughtBy: ['SEQ_ATOMIC'],
    needs: COUNTERS,
    create: planted({ parser: HalfAnswer }),
  },
  {
    name: 'atomic_no_limit',
    block: 'requester',
    description: 'more atomics are outstanding than a queue pair may have',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: LIMITED,
    create: planted({ requester: Unlimited }),
  },
  {
    name: 'atomic_fence_ignored',
    block: 'requester',
    description: 'a fenced request is sent before an atomic in front of it is answered',
    caughtBy: ['SCB_FENCE', 'SEQ_ATOMIC'],
    needs: FENCED,
    create: planted({ requester: NoFence }),
  },
  {
    name: 'atomic_any_length',
    block: 'requester',
    description: 'results of other than eight bytes are taken',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS', 'SCB_BYTE_LEN'],
    needs: REFUSED,
    create: planted({ sendQueue: AnyLength }),
  },
];
