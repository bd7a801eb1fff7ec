/** Bugs of the response unit. */
import { SYNDROME } from '../../../../rdma/bth.ts';
import { extension } from '../../model/qpContext.ts';
import { isOfRead, type QpSlot, RESPONSE } from '../../model/transport/qpSlot.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { RESPONSE_ROWS } from './rows/responseRows.ts';

class WrongAckPsn extends ResponseUnit {
  readonly #turn = new Every(3);
  protected override ackPsn(psn: number): number {
    return this.#turn.hit() ? (psn + 1) & 0xffffff : psn;
  }
}

/** Refuses a READ that fails halfway from its first packet on, which it has answered. */
class RefusedFromStart extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    const read = syndrome > SYNDROME.nakSequence ? slot.savedReads?.find((r) => isOfRead(r, psn)) : undefined;
    super.acknowledge(slot, syndrome, read?.psn ?? psn, msn);
  }
}

class StuckMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn > 1 ? 1 : msn);
  }
}

class ForgottenMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number): void {
    super.acknowledge(slot, syndrome, psn, 0);
  }
}

class EagerMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, syndrome > SYNDROME.nakSequence ? msn + 1 : msn);
  }
}

/** Offers 32 receives with every acknowledgement. */
class GenerousResponder extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome === SYNDROME.ack ? 10 : syndrome, psn, msn);
  }
}

/** Asks for the shortest time whenever it is not ready. */
class HastyReceiver extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    const notReady = syndrome >= SYNDROME.rnr && syndrome < SYNDROME.nakSequence;
    super.acknowledge(slot, notReady ? SYNDROME.rnr | 1 : syndrome, psn, msn);
  }
}

/** Goes on answering READs after software has stopped it. */
class TirelessResponder extends ResponseUnit {
  override drop(): void {}
}

/** Answers more READs at once than it has resources for. */
class UnlimitedAnswers extends ResponseUnit {
  override hasRoom(): boolean {
    return true;
  }
}

/** Has one resource too few for READs, where it should have several. */
class MissingResource extends ResponseUnit {
  override hasRoom(slot: QpSlot, c: number): boolean {
    const most = extension(this.core.bytes.i32, c) & 0xff;
    return (most === 1 || slot.respReads < most - 1) && super.hasRoom(slot, c);
  }
}

/** Answers what is asked for again of a READ from one packet further back in memory. */
class LateRest extends ResponseUnit {
  override repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.repeatRead(slot, c, p, msn);
    const item = slot.respTail;
    const starts = slot.savedReads?.some((read) => read.psn === p.psn);
    if (starts === false && item?.kind === RESPONSE.read && !item.fresh && item.psn === p.psn) item.vaLo -= item.mtu;
  }
}

/** Overlooks every seventh READ that comes in order. */
class DeafToReads extends ResponseUnit {
  readonly #turn = new Every(7);
  override read(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.read(slot, c, p, msn);
    if (this.#turn.hit()) this.drop(slot);
  }
}

/** Knows one READ less than it must, where that is several. */
class ShortMemory extends ResponseUnit {
  override read(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.read(slot, c, p, msn);
    const most = extension(this.core.bytes.i32, c) & 0xff;
    if (most > 1 && slot.savedReads?.length === most) slot.savedReads.shift();
  }
}

/** Finds no READ again for a number behind the wrap, where its own lies before that. */
class UnwrappedReads extends ResponseUnit {
  override repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    const wraps = slot.savedReads?.some((read) => p.psn < read.psn && psnCmp(p.psn, read.psn) > 0);
    if (wraps !== true) super.repeatRead(slot, c, p, msn);
  }
}

/** Answers READs only when the link has nothing else to carry. */
class PoliteAnswers extends ResponseUnit {
  #waits = false;
  override pump(): void {
    const { link, scheduler } = this.core;
    const busy = link.freeAt - scheduler.now;
    if (busy <= 0) super.pump();
    else if (!this.#waits) {
      this.#waits = true;
      scheduler.schedule(busy, this, 0);
    }
  }

  fire(): void {
    this.#waits = false;
    this.pump();
  }
}

/** Says twice that it refuses a request for good. */
class RepeatingNak extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn);
    if (syndrome > SYNDROME.nakSequence) super.acknowledge(slot, syndrome, psn, msn);
  }
}

export const RESPONSE_FAULTS = faultsOf(RESPONSE_ROWS, {
  ack_wrong_psn: planted({ responses: WrongAckPsn }),
  msn_stuck: planted({ responses: StuckMsn }),
  msn_zero: planted({ responses: ForgottenMsn }),
  msn_of_refused: planted({ responses: EagerMsn }),
  credits_invented: planted({ responses: GenerousResponder }),
  rnr_timer: planted({ responses: HastyReceiver }),
  answers_after_stop: planted({ responses: TirelessResponder }),
  nak_repeated: planted({ responses: RepeatingNak }),
  dest_read_limit: planted({ responses: UnlimitedAnswers }),
  read_unanswered: planted({ responses: DeafToReads }),
  read_rest_early: planted({ responses: LateRest }),
  read_forgotten: planted({ responses: ShortMemory }),
  read_wrap_forgotten: planted({ responses: UnwrappedReads }),
  answers_last: planted({ responses: PoliteAnswers }),
  read_resource_missing: planted({ responses: MissingResource }),
  read_refused_from_start: planted({ responses: RefusedFromStart }),
});
