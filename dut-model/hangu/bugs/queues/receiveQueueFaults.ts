/** Bugs of the receive queue. */
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { qpService } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import { RECV } from '../../model/queues/receives.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { type Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { RECEIVE_QUEUE_ROWS } from './rows/receiveQueueRows.ts';

/** Does not see the receive for every fifth message of a reliable connection. */
class ReluctantQueue extends ReceiveQueue {
  readonly #turn = new Every(5);
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    const reliable = qpService(this.core.bytes.i32, c) === QPC_SERVICE.rc;
    return reliable && slot.recvSegment < 0 && this.#turn.hit() ? RECV.empty : super.take(slot, c, asker);
  }
}

/** Skips a slot of the receive ring now and then. */
class SkippingQueue extends ReceiveQueue {
  readonly #turn = new Every(3);
  protected override nextHead(head: number, stride: number, ring: number): number {
    return super.nextHead(head, this.#turn.hit() ? stride * 2 : stride, ring);
  }
}

/** Uses every fifth receive buffer twice. */
class RepeatingQueue extends ReceiveQueue {
  readonly #turn = new Every(5);
  protected override nextHead(head: number, stride: number, ring: number): number {
    return this.#turn.hit() ? head : super.nextHead(head, stride, ring);
  }
}

/** Counts a receive as used although the message that came to it was lost. */
class WastefulQueue extends ReceiveQueue {
  readonly #wasted = new Set<QpSlot>();
  override giveBack(slot: QpSlot): void {
    if (slot.recvSegment >= 0) this.#wasted.add(slot);
    super.giveBack(slot);
  }
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    if (this.#wasted.delete(slot)) this.consume(slot, c);
    return super.take(slot, c, asker);
  }
}

/** Takes a WRITE of no bytes with immediate to need no receive. */
class NeedlessQueue extends ReceiveQueue {
  readonly #without = new Set<QpSlot>();
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    const taken = super.take(slot, c, asker);
    const empty = asker instanceof RxPacket && (asker.bits & OP.write) !== 0 && asker.dmaLength === 0;
    if (taken !== RECV.empty || !empty) return taken;
    this.#without.add(slot);
    return RECV.taken;
  }
  override consume(slot: QpSlot, c: number): void {
    if (!this.#without.delete(slot)) super.consume(slot, c);
  }
}

export const RECEIVE_QUEUE_FAULTS = faultsOf(RECEIVE_QUEUE_ROWS, {
  recv_overlooked: planted({ receiveQueue: ReluctantQueue }),
  lost_consumes: planted({ receiveQueue: WastefulQueue }),
  recv_slot_skipped: planted({ receiveQueue: SkippingQueue }),
  recv_slot_reused: planted({ receiveQueue: RepeatingQueue }),
  empty_write_unreceived: planted({ receiveQueue: NeedlessQueue }),
});
