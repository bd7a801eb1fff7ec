/** Bugs of a responder where packets are missing. */
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { expectedPsn, setExpectedPsn } from '../../model/qpContext.ts';
import { IN_MESSAGE, type QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { GAP_ROWS } from './rows/gapRows.ts';

/** Says what is missing once more when the second packet behind a gap comes. */
class TwiceNaked extends Responder {
  /** Gaps that were told once. */
  readonly #once = new Map<QpSlot, number>();

  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (slot.nakSent && this.#once.get(slot) === expected) {
      slot.nakSent = false;
      this.#once.delete(slot);
    } else if (!slot.nakSent) this.#once.set(slot, expected);
    super.outOfOrder(slot, c, expected);
  }
}

/** Names the packet that has come instead of the one that is missing. */
class WrongGap extends Responder {
  #psn = 0;

  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    this.#psn = p.psn;
    return super.admit(slot, c, p, service);
  }

  protected override outOfOrder(slot: QpSlot, c: number): void {
    super.outOfOrder(slot, c, this.#psn);
  }
}

/** Says nothing of a gap. */
class SilentGap extends Responder {
  protected override outOfOrder(): void {}
}

/** Says something of the first gap of a queue pair only. */
class FirstGap extends Responder {
  readonly #told = new Set<QpSlot>();

  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (this.#told.has(slot)) return;
    this.#told.add(slot);
    super.outOfOrder(slot, c, expected);
  }
}

/** Takes the start of a message behind a gap as if nothing were missing. */
class OverlookedGap extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const w = this.core.bytes.i32;
    const starts = (p.bits & OP.start) !== 0 && slot.inMessage === IN_MESSAGE.none;
    if (service === QPC_SERVICE.rc && starts && psnCmp(p.psn, expectedPsn(w, c)) > 0) setExpectedPsn(w, c, p.psn);
    return super.admit(slot, c, p, service);
  }
}

/** Forgets which message it is in when packets of it are missing. */
class ForgetfulGap extends Responder {
  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    super.outOfOrder(slot, c, expected);
    slot.inMessage = IN_MESSAGE.none;
  }
}

export const GAP_FAULTS = faultsOf(GAP_ROWS, {
  gap_nak_twice: planted({ responder: TwiceNaked }),
  gap_nak_received_psn: planted({ responder: WrongGap }),
  gap_no_nak: planted({ responder: SilentGap }),
  gap_nak_first_only: planted({ responder: FirstGap }),
  gap_overlooked: planted({ responder: OverlookedGap }),
  gap_forgets_message: planted({ responder: ForgetfulGap }),
});
