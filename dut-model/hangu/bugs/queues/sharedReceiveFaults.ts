/** Bugs of shared receive queues. */
import { EVENT_TYPE } from '../../layout/queues.ts';
import { SRQC_DW } from '../../layout/sharedReceives.ts';
import { SharedReceives } from '../../model/queues/sharedReceives.ts';
import type { SharedTake } from '../../model/queues/sharedTake.ts';
import { RECV } from '../../model/queues/receives.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { ReceiveFlush } from '../../model/transport/receiveFlush.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { SHARED_RECEIVE_ROWS } from './rows/sharedReceiveRows.ts';

class Overlooked extends SharedReceives {
  readonly #turn = new Every(5);
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    const isFirst = slot.shared === null || slot.shared.stage === 0;
    return slot.recvSegment < 0 && isFirst && this.#turn.hit() ? RECV.empty : super.take(slot, c, asker);
  }
}

class SlotSkipped extends SharedReceives {
  readonly #turn = new Every(7);
  protected override follower(w: Int32Array, d: number, logStride: number): number {
    const slot = super.follower(w, d, logStride);
    return this.#turn.hit() ? slot + 1 : slot;
  }
}

class RingOrder extends SharedReceives {
  #offset = 0;
  override hasRead(t: SharedTake, ok: boolean): void {
    this.#offset = t.offset;
    super.hasRead(t, ok);
  }
  protected override follower(w: Int32Array, d: number, logStride: number): number {
    const right = super.follower(w, d, logStride);
    return right === 0 ? 0 : (this.#offset >>> logStride) + 1;
  }
}

class SlotRepeated extends SharedReceives {
  readonly #turn = new Every(9);
  #slot = 0;
  override hasRead(t: SharedTake, ok: boolean): void {
    this.#slot = t.offset;
    super.hasRead(t, ok);
  }
  protected override follower(w: Int32Array, d: number, logStride: number): number {
    return this.#turn.hit() ? this.#slot >>> logStride : super.follower(w, d, logStride);
  }
}

class DoorbellLost extends SharedReceives {
  readonly #turn = new Every(5);
  override posted(srqn: number, posted: number): void {
    if (!this.#turn.hit()) super.posted(srqn, posted);
  }
}

/** Finds another moment for the limit event, or tells of it otherwise. */
function limiting(
  act: (
    limit: number,
    available: number,
  ) => { readonly tells: boolean; readonly disarms: boolean; readonly shift?: number },
): typeof SharedReceives {
  return class extends SharedReceives {
    protected override checkLimit(srqn: number, q: number, available: number): void {
      const limit = (this.core.bytes.i32[q + SRQC_DW.level] as number) >>> 16;
      const { tells, disarms, shift = 0 } = act(limit, available);
      if (limit === 0) return;
      if (disarms) this.setLimit(q, 0);
      if (tells) this.events.async(EVENT_TYPE.srqLimit, srqn + shift);
    }
  };
}

class LimitOnce extends SharedReceives {
  readonly #armed = new Set<number>();
  override arm(srqn: number, limit: number, asker: Resumable): number {
    const again = this.#armed.has(srqn);
    const status = super.arm(srqn, again ? 0 : limit, asker);
    if (status === 0) this.#armed.add(srqn);
    return status;
  }
}

class QueryStale extends SharedReceives {
  readonly #latest = new Map<number, number>();
  override arm(srqn: number, limit: number, asker: Resumable): number {
    this.#latest.set(srqn, limit);
    return super.arm(srqn, limit, asker);
  }
  override query(srqn: number, outbox: number, asker: Resumable): number {
    const status = super.query(srqn, outbox, asker);
    const w = this.core.bytes.i32;
    const at = (outbox >> 2) + SRQC_DW.level;
    w[at] = swap32((swap32(w[at] as number) & 0xffff) | ((this.#latest.get(srqn) ?? 0) << 16));
    return status;
  }
}

class EntryLost extends ReceiveFlush {
  protected override returnHeld(slot: QpSlot, c: number): void {
    this.forgetHeld(slot, c);
  }
}

class LastLost extends ReceiveFlush {
  protected override tellLast(): void {}
}

class LastTwice extends ReceiveFlush {
  protected override tellLast(slot: QpSlot): void {
    super.tellLast(slot);
    super.tellLast(slot);
  }
}

class LastEarly extends ReceiveFlush {
  protected override returnHeld(slot: QpSlot, c: number): void {
    super.tellLast(slot);
    this.core.scheduler.schedule(2_000_000, { fire: () => super.returnHeld(slot, c) });
  }
  protected override tellLast(): void {}
}

export const SHARED_RECEIVE_FAULTS = faultsOf(SHARED_RECEIVE_ROWS, {
  srq_overlooked: planted({ sharedReceives: Overlooked }),
  srq_slot_skipped: planted({ sharedReceives: SlotSkipped }),
  srq_ring_order: planted({ sharedReceives: RingOrder }),
  srq_slot_repeated: planted({ sharedReceives: SlotRepeated }),
  srq_doorbell_lost: planted({ sharedReceives: DoorbellLost }),
  srq_limit_reached: planted({
    sharedReceives: limiting((limit, left) => ({ tells: left <= limit, disarms: left <= limit })),
  }),
  srq_limit_lost: planted({ sharedReceives: limiting((limit, left) => ({ tells: false, disarms: left < limit })) }),
  srq_limit_again: planted({ sharedReceives: limiting((limit, left) => ({ tells: left < limit, disarms: false })) }),
  srq_limit_once: planted({ sharedReceives: LimitOnce }),
  srq_limit_of_next: planted({
    sharedReceives: limiting((limit, left) => ({ tells: left < limit, disarms: left < limit, shift: 1 })),
  }),
  srq_query_stale: planted({ sharedReceives: QueryStale }),
  srq_entry_lost: planted({ receiveFlush: EntryLost }),
  last_wqe_lost: planted({ receiveFlush: LastLost }),
  last_wqe_twice: planted({ receiveFlush: LastTwice }),
  last_wqe_early: planted({ receiveFlush: LastEarly }),
});
