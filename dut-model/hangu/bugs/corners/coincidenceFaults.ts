/** Bugs that need two things at once: an answer in a wait, an error in the recovery from another, a repeat behind a refusal. */
import { SYNDROME } from '../../../../rdma/bth.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { CQE_SYNDROME, isFetch } from '../../layout/queues.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import { Gather } from '../../model/memory/gather.ts';
import { IN_MESSAGE, type PacketJob, type QpSlot, type SendRequest } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { RequesterReceive } from '../../model/transport/requesterReceive.ts';
import { Responder } from '../../model/transport/responder.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { COINCIDENCE_ROWS } from './rows/coincidenceRows.ts';

/** A time-out behind a NAK does not count: what is asked for by turns is never given up. */
class TimeoutsAfterNaks extends SendCompletion {
  override timeout(slot: QpSlot, c: number): void {
    if (slot.retrying && slot.retries > 0) slot.retries--;
    super.timeout(slot, c);
  }
}

/** A refusal during a retry loses what is in front of it. */
class RefusedRetry extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    super.receiverNotReady(slot, c, slot.retrying ? psnAdd(psn, 1) : psn, delayPs);
  }
}

/** A queue pair that fails while it waits for a receiver leaves its requests behind the oldest. */
class FailsInWait extends SendCompletion {
  override flush(slot: QpSlot): void {
    if (slot.rnrWait && slot.head !== null) {
      slot.head.next = null;
      slot.tail = slot.head;
    }
    super.flush(slot);
  }
}

/** The flush of a queue pair that was sending something again succeeds for what had been sent before. */
class FlushedRetry extends SendCompletion {
  protected override report(slot: QpSlot, r: SendRequest, syndrome: number): void {
    super.report(slot, r, syndrome === CQE_SYNDROME.flush && slot.retrying && r.sent ? 0 : syndrome);
  }
}

/** A doorbell during a retry is lost. */
class DeafInRetry extends HanguNic {
  override sendDoorbell(dw0: number, dw1: number): void {
    if (this.core.slot(dw1 >>> 8).retrying) return;
    super.sendDoorbell(dw0, dw1);
  }
}

/** What is acknowledged while something is sent again is taken for all that has been sent. */
class AllAcknowledged extends RequesterReceive {
  protected override acknowledged(slot: QpSlot, c: number, psn: number, implied = false): void {
    const r = slot.head;
    const last = r !== null && r.firstPsn >= 0 && !isFetch(r.opcode) ? r.lastPsn : psn;
    super.acknowledged(slot, c, slot.retrying && !implied && psnCmp(last, psn) > 0 ? last : psn, implied);
  }
}

/** A packet that is thrown away for a retry keeps its place among those that are gathered. */
class LeakedJobs extends Requester {
  override goBack(slot: QpSlot, psn: number): void {
    if (slot.txHead !== null) slot.jobs++;
    super.goBack(slot, psn);
  }
}

/** A fence does not hold when what it waits for is asked for again. */
class FenceInRetry extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    if (!r.fence || !slot.retrying) return super.mayTransmit(slot, c, r);
    r.fence = false;
    const may = super.mayTransmit(slot, c, r);
    r.fence = !may;
    return may;
  }
}

/** A gap within a message is answered with a NAK for every packet behind it. */
class NakInMessage extends Responder {
  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (slot.inMessage !== IN_MESSAGE.none) slot.nakSent = false;
    super.outOfOrder(slot, c, expected);
  }
}

/** A gap inside a message makes the responder forget how much of the message there is. */
class GapForgetsBytes extends Responder {
  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (slot.inMessage === IN_MESSAGE.send) slot.messageBytes = 0;
    super.outOfOrder(slot, c, expected);
  }
}

/** A gap inside a SEND sets its receive back to the start. */
class GapRestarts extends Responder {
  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (slot.inMessage === IN_MESSAGE.send && slot.recvSegment >= 0 && !slot.nakSent) {
      slot.recvSge = 0;
      slot.recvSgeDone = 0;
    }
    super.outOfOrder(slot, c, expected);
  }
}

/** A solicited message that was sent again is not solicited any more. */
class SolicitedOnce extends Gather {
  override send(j: PacketJob): void {
    const { slot } = j;
    if (slot.retrying && j.request?.solicited === true) j.request.solicited = false;
    super.send(j);
  }
}

/** Immediate data of a WRITE that was refused for want of a receive and sent again are those of the request behind it. */
class OtherImmediate extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    const r = slot.head;
    if (r?.next && r.next.firstPsn >= 0) r.imm = r.next.imm;
    super.receiverNotReady(slot, c, psn, delayPs);
  }
}

/** An RNR NAK for a message in whose middle the peer is acknowledges what is in front of it once more. */
class RefusalAcknowledges extends RequesterReceive {
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    const w = this.core.bytes.i32;
    if (p.syndrome >>> 5 === 1 && slot.retrying && psnCmp(p.psn, w[c + QPC_DW.unaPsn] as number) === 0)
      super.acknowledged(slot, c, p.psn);
    else super.acknowledge(slot, c, p);
  }
}

/** A refused atomic or READ behind a gap is refused twice. */
class TwiceRefused extends Responder {
  protected override stop(slot: QpSlot, c: number, p: RxPacket): void {
    if (
      p.bits & OP.reth &&
      slot.inMessage === IN_MESSAGE.none &&
      slot.savedReads !== null &&
      slot.savedReads.length > 0
    )
      this.outOfOrder(slot, c, psnAdd(p.psn, 1));
    super.stop(slot, c, p);
  }
}

/** Retries that are exceeded during a drain leave the queue pair in SQD. */
class DrainNeverEnds extends SendCompletion {
  override drained(slot: QpSlot): void {
    if (slot.retries > 0) return;
    super.drained(slot);
  }
}

/** A sequence NAK for a PSN behind a READ that is unanswered ends the READ. */
class NakEndsRead extends RequesterReceive {
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    const r = slot.head;
    if (p.syndrome === SYNDROME.nakSequence && r !== null && isFetch(r.opcode) && psnCmp(p.psn, r.lastPsn) > 0)
      r.readBase = r.psns - 1;
    super.acknowledge(slot, c, p);
  }
}

export const COINCIDENCE_FAULTS = faultsOf(COINCIDENCE_ROWS, {
  timeout_after_nak_uncounted: planted({ sendCompletion: TimeoutsAfterNaks }),
  refused_retry_skips: planted({ sendCompletion: RefusedRetry }),
  flush_in_rnr_wait: planted({ sendCompletion: FailsInWait }),
  flush_in_retry_succeeds: planted({ sendCompletion: FlushedRetry }),
  doorbell_in_retry_lost: (context, config) => new DeafInRetry(context, config),
  ack_in_retry_of_all: planted({ requesterReceive: AllAcknowledged }),
  retry_leaks_jobs: planted({ requester: LeakedJobs }),
  fence_in_retry: planted({ requester: FenceInRetry }),
  nak_again_in_message: planted({ responder: NakInMessage }),
  gap_forgets_bytes: planted({ responder: GapForgetsBytes }),
  gap_restarts_receive: planted({ responder: GapRestarts }),
  solicited_once: planted({ gather: SolicitedOnce }),
  refused_immediate: planted({ sendCompletion: OtherImmediate }),
  refusal_in_retry_acks: planted({ requesterReceive: RefusalAcknowledges }),
  refused_twice_behind_read: planted({ responder: TwiceRefused }),
  drain_lost_in_retry: planted({ sendCompletion: DrainNeverEnds }),
  nak_behind_read: planted({ requesterReceive: NakEndsRead }),
});
