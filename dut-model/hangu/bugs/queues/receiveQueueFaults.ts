/** Bugs of the receive queue. */
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { qpService } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { RECV, ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { type Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import { Every, LONG_MESSAGES, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

export const RECEIVE_QUEUE_FAULTS: readonly Fault[] = [
  {
    name: 'recv_overlooked',
    block: 'receive queue',
    description: 'every fifth message of a reliable connection is refused although a receive is posted',
    caughtBy: ['SCB_REFUSED'],
    create: planted({ receiveQueue: ReluctantQueue }),
  },
  {
    name: 'lost_consumes',
    block: 'receive queue',
    description: 'a message of an unreliable connection that is lost uses its receive up',
    caughtBy: ['SCB_ORDER'],
    needs: [...LONG_MESSAGES, '+UC_QP_NUM=2'],
    create: planted({ receiveQueue: WastefulQueue }),
  },
  {
    name: 'recv_slot_skipped',
    block: 'receive queue',
    description: 'every third receive request is skipped',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_STUCK'],
    create: planted({ receiveQueue: SkippingQueue }),
  },
  {
    name: 'recv_slot_reused',
    block: 'receive queue',
    description: 'every fifth receive request is used twice',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_DUPLICATE', 'SCB_STUCK'],
    create: planted({ receiveQueue: RepeatingQueue }),
  },
  {
    name: 'empty_write_unreceived',
    block: 'receive queue',
    description: 'a WRITE of no bytes with immediate completes although no receive is posted for it',
    caughtBy: ['SCB_DUPLICATE'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=late_receives',
      '+RC_QP_NUM=1',
      '+UC_QP_NUM=0',
      '+UD_QP_NUM=0',
    ],
    create: planted({ receiveQueue: NeedlessQueue }),
  },
];
