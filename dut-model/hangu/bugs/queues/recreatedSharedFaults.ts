/** Bugs of shared receive queues that are made anew, are of a domain of their own, or serve several queue pairs at once. */
import { EVENT_TYPE } from '../../layout/queues.ts';
import { SRQ_COUNT_MASK, SRQC_DW } from '../../layout/sharedReceives.ts';
import { isUd, QPC_DW, takesShared } from '../../model/qpContext.ts';
import { SharedReceives } from '../../model/queues/sharedReceives.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import type { Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { RECREATED_SHARED_ROWS } from './rows/recreatedSharedRows.ts';

/** Takes over some bits of a dword of the context from the queue that had the number before. */
function keeping(dw: number, mask: number): typeof SharedReceives {
  return class extends SharedReceives {
    readonly #former = new Map<number, number>();

    override closeQueue(srqn: number, asker: Resumable): number {
      const former = this.#wordOf(srqn, asker);
      const status = super.closeQueue(srqn, asker);
      if (status === 0) this.#former.set(srqn, former & mask);
      return status;
    }

    override open(srqn: number, image: number, asker: Resumable): number {
      const status = super.open(srqn, image, asker);
      const former = this.#former.get(srqn);
      const at = status === 0 && former !== undefined ? this.core.srqc.lookup(srqn, asker) : -1;
      if (at >= 0) this.core.bytes.i32[(at >> 2) + dw] = former as number;
      return status;
    }

    #wordOf(srqn: number, asker: Resumable): number {
      const at = this.core.srqc.lookup(srqn, asker);
      return at < 0 ? 0 : (this.core.bytes.i32[(at >> 2) + dw] as number);
    }
  };
}

class DomainOfPair extends SharedReceives {
  protected override domainOf(_domain: number, c: number): number {
    return this.core.bytes.i32[c + QPC_DW.pd] as number;
  }
}

/** Takes that are so close to each other are at the limit at the same time, ps. */
const SAME_TIME = 500_000;

class RaceLost extends SharedReceives {
  #latest = -SAME_TIME;
  protected override checkLimit(srqn: number, q: number, available: number): void {
    const { now } = this.core.scheduler;
    const isClose = now - this.#latest < SAME_TIME;
    this.#latest = now;
    const limit = (this.core.bytes.i32[q + SRQC_DW.level] as number) >>> 16;
    if (isClose && limit > available) this.setLimit(q, 0);
    super.checkLimit(srqn, q, available);
  }
}

class RaceTwice extends SharedReceives {
  readonly #reached = new Map<number, number>();
  protected override checkLimit(srqn: number, q: number, available: number): void {
    const { now } = this.core.scheduler;
    const limit = (this.core.bytes.i32[q + SRQC_DW.level] as number) >>> 16;
    if (now - (this.#reached.get(srqn) ?? -SAME_TIME) < SAME_TIME) {
      this.#reached.delete(srqn);
      this.events.async(EVENT_TYPE.srqLimit, srqn);
    } else if (limit > available) this.#reached.set(srqn, now);
    super.checkLimit(srqn, q, available);
  }
}

/** Completes a datagram that takes a shared receive with something else. */
function completing(change: (slot: QpSlot, p: RxPacket) => void): typeof Responder {
  return class extends Responder {
    protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
      const w = this.core.bytes.i32;
      if (syndrome === 0 && isUd(w, c) && takesShared(w, c)) change(slot, p);
      super.completeReceive(slot, c, p, syndrome);
    }
  };
}

const GRH_BYTES = 40;
const LIMIT_MASK = ~SRQ_COUNT_MASK;

export const RECREATED_SHARED_FAULTS = faultsOf(RECREATED_SHARED_ROWS, {
  srq_recreated_full: planted({ sharedReceives: keeping(SRQC_DW.level, SRQ_COUNT_MASK) }),
  srq_recreated_armed: planted({ sharedReceives: keeping(SRQC_DW.level, LIMIT_MASK) }),
  srq_recreated_place: planted({ sharedReceives: keeping(SRQC_DW.next, -1) }),
  srq_domain_of_pair: planted({ sharedReceives: DomainOfPair }),
  srq_limit_race_lost: planted({ sharedReceives: RaceLost }),
  srq_limit_race_twice: planted({ sharedReceives: RaceTwice }),
  srq_datagram_length: planted({
    responder: completing((slot) => {
      slot.messageBytes -= GRH_BYTES;
    }),
  }),
  srq_datagram_source: planted({
    responder: completing((_slot, p) => {
      p.srcQpn ^= 1;
    }),
  }),
});
