/** Bugs of the ACK queue: what is kept of atomics, and what is found of it. */
import { AQC } from '../../layout/ackQueue.ts';
import type { AckContext, EntryRange } from '../../model/transport/ackQueue/ackContext.ts';
import { AckContextCache } from '../../model/transport/ackQueue/ackContextCache.ts';
import { AckQueue } from '../../model/transport/ackQueue/ackQueue.ts';
import type { QpSlot, SavedRead } from '../../model/transport/qpSlot.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, type Fault, planted } from '../fault.ts';
import {
  DEEP,
  DEEP_CACHE,
  DEEP_SMALL,
  DEEP_SMALL_CACHE,
  KEPT_READS,
  LOST_RESULTS,
  REPEATS,
  REPEATS_WRAP,
} from './atomicStimulus.ts';

/** Searches the group behind the right one. */
class NextGroup extends AckQueue {
  protected override range(context: AckContext, psn: number): EntryRange {
    const { first, count } = super.range(context, psn);
    const groups = context.depth / context.groupEntries;
    return { first: ((first / context.groupEntries + 1) % groups) * context.groupEntries, count };
  }
}

/** Searches the first group only. */
class FirstGroup extends AckQueue {
  protected override range(context: AckContext, psn: number): EntryRange {
    return { first: 0, count: super.range(context, psn).count };
  }
}

/** Leaves the last entry of a group out. */
class ShortGroup extends AckQueue {
  protected override range(context: AckContext, psn: number): EntryRange {
    const { first, count } = super.range(context, psn);
    return { first, count: count === context.groupEntries ? count - 1 : count };
  }
}

/** Takes PSNs for numbers that do not wrap when it chooses a group. */
class PlainNumbers extends AckQueue {
  protected override range(context: AckContext, psn: number): EntryRange {
    const range = super.range(context, psn);
    const starts = Array.from({ length: Math.ceil(Math.min(context.written, context.depth) / context.groupEntries) });
    return starts.some((_, g) => context.firstPsn(g) <= psn) ? range : { first: 0, count: 0 };
  }
}

/** Writes over the newest entries again when half of the queue is full. */
class HalfRing extends AckQueue {
  protected override place(context: AckContext): number {
    return super.place(context) % 8;
  }
}

/** Writes a result one entry too far. */
class OneFurther extends AckQueue {
  protected override place(context: AckContext): number {
    return (super.place(context) + 1) % context.depth;
  }
}

/** Leaves out every fourth result. */
class ForgetsSome extends AckQueue {
  readonly #turn = new Every(4);
  override append(slot: QpSlot, p: RxPacket, hi: number, lo: number): void {
    if (!this.#turn.hit()) super.append(slot, p, hi, lo);
  }
}

/** Keeps the lower half of results only. */
class HalfResult extends AckQueue {
  protected override write(w: Int32Array, at: number, p: RxPacket, _hi: number, lo: number): void {
    super.write(w, at, p, 0, lo);
  }
}

/** Keeps the operand in place of the result. */
class KeepsOperand extends AckQueue {
  protected override write(w: Int32Array, at: number, p: RxPacket): void {
    super.write(w, at, p, p.swapHi, p.swapLo);
  }
}

/** Takes the entry of a neighbour for that of a repeat. */
class Neighbour extends AckQueue {
  protected override matches(entry: number, p: RxPacket): boolean {
    return super.matches(entry, p) || super.matches(entry + 1, p);
  }
}

/** Knows PSNs by their lowest four bits. */
class ShortPsn extends AckQueue {
  protected override matches(entry: number, p: RxPacket): boolean {
    return ((entry ^ p.psn) & 15) === 0;
  }
}

/** Answers with the latest result of all queue pairs. */
class AnybodysResult extends AckQueue {
  #hi = 0;
  #lo = 0;

  override append(slot: QpSlot, p: RxPacket, hi: number, lo: number): void {
    super.append(slot, p, hi, lo);
    this.#hi = hi;
    this.#lo = lo;
  }

  override repeat(slot: QpSlot, p: RxPacket): number {
    const outcome = super.repeat(slot, p);
    this.originalHi = this.#hi;
    this.originalLo = this.#lo;
    return outcome;
  }
}

/** Brings the contents of the queue over a reset. */
class Undying extends AckContextCache {
  readonly #known = new Set<number>();
  protected override isNew(slot: QpSlot): boolean {
    const isNew = super.isNew(slot) && !this.#known.has(slot.qpn);
    this.#known.add(slot.qpn);
    return isNew;
  }

  protected override forget(context: AckContext): void {
    this.writeBack(context);
    super.forget(context);
  }
}

class UndyingQueue extends AckQueue {
  protected override cache(): AckContextCache {
    return new Undying(this.core);
  }
}

/** Lets a context leave the chip without writing it back. */
class LossyCache extends AckContextCache {
  override writeBack(context: AckContext): void {
    context.isDirty = false;
  }
}

class LossyQueue extends AckQueue {
  protected override cache(): AckContextCache {
    return new LossyCache(this.core);
  }
}

/** Counts two results for one when a context comes back from host memory. */
class Miscounts extends AckContextCache {
  override writeBack(context: AckContext): void {
    const w = this.core.bytes.i32;
    w[context.at + AQC.written] = (w[context.at + AQC.written] as number) + 1;
    super.writeBack(context);
  }
}

class MiscountingQueue extends AckQueue {
  protected override cache(): AckContextCache {
    return new Miscounts(this.core);
  }
}

/** Answers a READ that is repeated from the middle on from the address that its entry has. */
class ReadFromStart extends ResponseUnit {
  override repeatKept(slot: QpSlot, c: number, p: RxPacket, msn: number, saved: SavedRead): void {
    p.vaHi = saved.vaHi;
    p.vaLo = saved.vaLo;
    super.repeatKept(slot, c, p, msn, saved);
  }
}

/** Takes entries that it could not read for such as hold nothing. */
class UnreadIsMiss extends AckQueue {
  protected override unread(): void {}
}

/** Tells that it could not read entries, and goes on. */
class UnreadGoesOn extends AckQueue {
  protected override unread(slot: QpSlot): void {
    const { context } = slot;
    super.unread(slot);
    slot.lost = false;
    slot.context = context;
  }
}

/** Of repeats that are answered with another value, as the wire and who looks at the memory of the requester see it. */
const REPEATED = ['WIRE_ATOMIC_REPEAT', 'SCB_ATOMIC_RESULT', 'SEQ_ATOMIC'];
const CAUGHT = ['SEQ_ATOMIC', 'SEQ_STATUS', 'SCB_STUCK'];

export const QUEUE_FAULTS: readonly Fault[] = [
  {
    name: 'aq_wrong_group',
    block: 'ACK queue',
    description: 'a look-up reads the group behind the right one',
    caughtBy: CAUGHT,
    needs: DEEP,
    create: planted({ ackQueue: NextGroup }),
  },
  {
    name: 'aq_first_group',
    block: 'ACK queue',
    description: 'a look-up reads the first group, whatever the PSN',
    caughtBy: CAUGHT,
    needs: DEEP,
    create: planted({ ackQueue: FirstGroup }),
  },
  {
    name: 'aq_short_group',
    block: 'ACK queue',
    description: 'a look-up leaves the last entry of a full group out',
    caughtBy: CAUGHT,
    needs: DEEP_SMALL,
    create: planted({ ackQueue: ShortGroup }),
  },
  {
    name: 'aq_psn_wrap',
    block: 'ACK queue',
    description: 'a look-up finds no group where PSNs have wrapped',
    caughtBy: ['SCB_UNANSWERED', ...CAUGHT],
    needs: REPEATS_WRAP,
    create: planted({ ackQueue: PlainNumbers }),
  },
  {
    name: 'aq_overwritten_early',
    block: 'ACK queue',
    description: 'entries are overwritten after eight results',
    caughtBy: CAUGHT,
    needs: DEEP,
    create: planted({ ackQueue: HalfRing }),
  },
  {
    name: 'aq_entry_further',
    block: 'ACK queue',
    description: 'a result is written one entry too far',
    caughtBy: CAUGHT,
    needs: DEEP,
    create: planted({ ackQueue: OneFurther }),
  },
  {
    name: 'aq_result_forgotten',
    block: 'ACK queue',
    description: 'every fourth result is not kept',
    caughtBy: CAUGHT,
    needs: REPEATS,
    create: planted({ ackQueue: ForgetsSome }),
  },
  {
    name: 'aq_half_result',
    block: 'ACK queue',
    description: 'the upper half of results is not kept',
    caughtBy: REPEATED,
    needs: REPEATS,
    create: planted({ ackQueue: HalfResult }),
  },
  {
    name: 'aq_keeps_operand',
    block: 'ACK queue',
    description: 'the operand is kept in place of the result',
    caughtBy: REPEATED,
    needs: REPEATS,
    create: planted({ ackQueue: KeepsOperand }),
  },
  {
    name: 'aq_neighbour',
    block: 'ACK queue',
    description: 'a repeat is answered from the entry of a neighbour',
    caughtBy: REPEATED,
    needs: REPEATS,
    create: planted({ ackQueue: Neighbour }),
  },
  {
    name: 'aq_short_psn',
    block: 'ACK queue',
    description: 'entries are known by four bits of their PSN',
    caughtBy: CAUGHT,
    needs: DEEP,
    create: planted({ ackQueue: ShortPsn }),
  },
  {
    name: 'aq_other_qp',
    block: 'ACK queue',
    description: 'a repeat is answered with the latest result of all queue pairs',
    caughtBy: REPEATED,
    needs: REPEATS,
    create: planted({ ackQueue: AnybodysResult }),
  },
  {
    name: 'aq_survives_reset',
    block: 'ACK queue',
    description: 'the ACK queue of a queue pair is not emptied by a reset',
    caughtBy: CAUGHT,
    needs: DEEP,
    create: planted({ ackQueue: UndyingQueue }),
  },
  {
    name: 'aq_context_lost',
    block: 'ACK queue',
    description: 'contexts of ACK queues leave the chip without being written back',
    caughtBy: ['SCB_STRAY_WRITE', ...CAUGHT],
    needs: DEEP_CACHE,
    create: planted({ ackQueue: LossyQueue }),
  },
  {
    name: 'aq_context_miscounted',
    block: 'ACK queue',
    description: 'a context that is written back counts a result too many',
    caughtBy: CAUGHT,
    needs: DEEP_SMALL_CACHE,
    create: planted({ ackQueue: MiscountingQueue }),
  },
  {
    name: 'aq_read_from_start',
    block: 'ACK queue',
    description: 'a READ that is repeated from the middle on is answered from its beginning (+NIC_AQ_REPEATS=1)',
    caughtBy: ['SCB_READ_AGAIN', 'SCB_WIRE_DATA', 'SCB_DATA'],
    needs: KEPT_READS,
    create: planted({ responses: ReadFromStart }),
  },
  {
    name: 'aq_unread_is_miss',
    block: 'ACK queue',
    description: 'entries that cannot be read count as such that are not there',
    caughtBy: ['SCB_ASYNC_EVENT', 'SEQ_STATUS'],
    needs: LOST_RESULTS,
    create: planted({ ackQueue: UnreadIsMiss }),
  },
  {
    name: 'aq_unread_goes_on',
    block: 'ACK queue',
    description: 'a queue pair whose entries could not be read tells of it and goes on',
    caughtBy: ['SEQ_STATUS'],
    needs: LOST_RESULTS,
    create: planted({ ackQueue: UnreadGoesOn }),
  },
];
