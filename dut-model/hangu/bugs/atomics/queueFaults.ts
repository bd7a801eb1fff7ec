/** Bugs of the ACK queue: what is kept of atomics, and what is found of it. */
import { AQC } from '../../layout/ackQueue.ts';
import type { AckContext, EntryRange } from '../../model/transport/ackQueue/ackContext.ts';
import { AckContextCache } from '../../model/transport/ackQueue/ackContextCache.ts';
import { AckQueue } from '../../model/transport/ackQueue/ackQueue.ts';
import type { QpSlot, SavedRead } from '../../model/transport/qpSlot.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { QUEUE_ROWS } from './rows/queueRows.ts';

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

export const QUEUE_FAULTS = faultsOf(QUEUE_ROWS, {
  aq_wrong_group: planted({ ackQueue: NextGroup }),
  aq_first_group: planted({ ackQueue: FirstGroup }),
  aq_short_group: planted({ ackQueue: ShortGroup }),
  aq_psn_wrap: planted({ ackQueue: PlainNumbers }),
  aq_overwritten_early: planted({ ackQueue: HalfRing }),
  aq_entry_further: planted({ ackQueue: OneFurther }),
  aq_result_forgotten: planted({ ackQueue: ForgetsSome }),
  aq_half_result: planted({ ackQueue: HalfResult }),
  aq_keeps_operand: planted({ ackQueue: KeepsOperand }),
  aq_neighbour: planted({ ackQueue: Neighbour }),
  aq_short_psn: planted({ ackQueue: ShortPsn }),
  aq_other_qp: planted({ ackQueue: AnybodysResult }),
  aq_survives_reset: planted({ ackQueue: UndyingQueue }),
  aq_context_lost: planted({ ackQueue: LossyQueue }),
  aq_context_miscounted: planted({ ackQueue: MiscountingQueue }),
  aq_read_from_start: planted({ responses: ReadFromStart }),
  aq_unread_is_miss: planted({ ackQueue: UnreadIsMiss }),
  aq_unread_goes_on: planted({ ackQueue: UnreadGoesOn }),
});
