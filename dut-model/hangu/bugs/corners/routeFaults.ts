/** Bugs of routes and of numbers that come again: which queue, event queue or peer something goes to. */
import { CQE_RECV_OPCODE, EVENT_TYPE } from '../../layout/queues.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { ROUTE_ROWS } from './rows/routeRows.ts';

/** Receives of one kind complete in the completion queue of requests. */
function receivesInSendCq(isSo: (p: RxPacket, slot: QpSlot) => boolean): typeof Responder {
  return class extends Responder {
    protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
      const w = this.core.bytes.i32;
      const own = w[c + QPC_DW.cqnRcv] as number;
      if (isSo(p, slot)) w[c + QPC_DW.cqnRcv] = w[c + QPC_DW.cqnSnd] as number;
      super.completeReceive(slot, c, p, syndrome);
      this.core.bytes.i32[c + QPC_DW.cqnRcv] = own;
    }
  };
}

/** Requests that fail complete in the queue of receives. */
class FailedInReceiveCq extends SendCompletion {
  protected override report(slot: QpSlot, r: SendRequest, syndrome: number): void {
    const { cqn } = r;
    if (syndrome !== 0 && slot.context >= 0) r.cqn = this.core.bytes.i32[slot.context + QPC_DW.cqnRcv] as number;
    super.report(slot, r, syndrome);
    r.cqn = cqn;
  }
}

/** What comes for a queue pair number that comes again goes on with the count of its former life. */
class StickyPeer extends CompletionUnit {
  readonly #peers = new Map<number, number>();

  override post(e: CompletionEntry): void {
    if (!e.isSend && e.grh) {
      const peer = this.#peers.get(e.qpn);
      if (peer === undefined) this.#peers.set(e.qpn, e.remoteQpn);
      else e.remoteQpn = peer;
    }
    super.post(e);
  }
}

/** Events of completion queues with odd numbers go to the queue of asynchronous events. */
class OddEvents extends EventUnit {
  override post(eqn: number, type: number, number: number, syndrome = 0): void {
    const other = type === EVENT_TYPE.completion && (number & 1) === 1 && this.isValid(eqn ^ 1);
    super.post(other ? eqn ^ 1 : eqn, type, number, syndrome);
  }
}

/** Asynchronous events of a queue pair name the one that had such an event last. */
class FormerNumber extends EventUnit {
  readonly #last = new Map<number, number>();

  override async(type: number, number: number, syndrome = 0): void {
    const last = this.#last.get(type) ?? number;
    this.#last.set(type, number);
    super.async(type, last, syndrome);
  }
}

export const ROUTE_FAULTS = faultsOf(ROUTE_ROWS, {
  immediate_in_send_cq: planted({
    responder: receivesInSendCq(({ opcode }) => (opcode & 31) === CQE_RECV_OPCODE.writeOnlyImm),
  }),
  solicited_in_send_cq: planted({ responder: receivesInSendCq(({ solicited }) => solicited) }),
  empty_in_send_cq: planted({ responder: receivesInSendCq((_, { messageBytes }) => messageBytes === 0) }),
  failed_in_receive_cq: planted({ sendCompletion: FailedInReceiveCq }),
  peer_of_former_datagram: planted({ completions: StickyPeer }),
  event_of_odd_queues: planted({ events: OddEvents }),
  event_of_former_pair: planted({ events: FormerNumber }),
});
