/** Bugs of a responder with requests that come again. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { expectedPsn, QPC_DW, setExpectedPsn } from '../../model/qpContext.ts';
import { IN_MESSAGE, type QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { DUPLICATE_ROWS } from './rows/duplicateRows.ts';

/** Executes messages of one packet of some kind again when they come again. */
export abstract class Repeating extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const expected = expectedPsn(this.core.bytes.i32, c);
    const again = service === QPC_SERVICE.rc && slot.inMessage === IN_MESSAGE.none && psnCmp(p.psn, expected) < 0;
    if (!again || !this.repeats(p)) return super.admit(slot, c, p, service);
    setExpectedPsn(this.core.bytes.i32, c, p.psn);
    const result = super.admit(slot, c, p, service);
    if (this.returns) setExpectedPsn(this.core.bytes.i32, c, expected);
    return result;
  }

  protected abstract repeats(p: RxPacket): boolean;

  /** Goes on where it was. */
  protected get returns(): boolean {
    return true;
  }
}

class SendsAgain extends Repeating {
  protected override repeats({ opcode }: RxPacket): boolean {
    return opcode === BTH_OP.sendOnly;
  }
}

/** Goes on behind a READ that comes again. */
class MovingReads extends Repeating {
  protected override repeats({ opcode }: RxPacket): boolean {
    return opcode === BTH_OP.readRequest;
  }

  protected override get returns(): boolean {
    return false;
  }
}

function isPlain({ opcode }: RxPacket): boolean {
  return (opcode & 31) < BTH_OP.readRequest;
}

/** Does not answer SENDs and WRITEs that come again. */
class SilentAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    if (!isPlain(p)) super.duplicate(slot, c, p, expected);
  }
}

/** Does not answer READs that come again. */
class DeafAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    if (isPlain(p)) super.duplicate(slot, c, p, expected);
  }
}

/** Answers a SEND or WRITE that comes again as if packets were missing. */
class NakedAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    if (!isPlain(p)) super.duplicate(slot, c, p, expected);
    else {
      slot.nakSent = false;
      this.outOfOrder(slot, c, expected);
    }
  }
}

/** Counts messages again that come again. */
class CountedAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    const w = this.core.bytes.i32;
    if (isPlain(p)) w[c + QPC_DW.msn] = ((w[c + QPC_DW.msn] as number) + 1) & 0xffffff;
    super.duplicate(slot, c, p, expected);
  }
}

/** Takes what comes again for the end of a gap. */
class GapAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    super.duplicate(slot, c, p, expected);
    slot.nakSent = false;
  }
}

/** Knows the latest four packets only: what is older is taken for what is still to come. */
class ShortWindow extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    if (psnCmp(p.psn, expected) < -4) this.outOfOrder(slot, c, expected);
    else super.duplicate(slot, c, p, expected);
  }
}

/** Compares numbers as they are: what comes again from before the wrap is taken for what is still to come. */
class PlainCompare extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    if (p.psn > expected) this.outOfOrder(slot, c, expected);
    else super.duplicate(slot, c, p, expected);
  }
}

/** Ends the message under way when something comes again. */
class EndedMessage extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    super.duplicate(slot, c, p, expected);
    slot.inMessage = IN_MESSAGE.none;
  }
}

/** Writes the rest of a message from where the start of it says that comes again. */
class RestartedWrite extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    super.duplicate(slot, c, p, expected);
    if ((p.bits & (OP.write | OP.start)) !== (OP.write | OP.start)) return;
    slot.writeHi = p.vaHi;
    slot.writeLo = p.vaLo;
  }
}

/** Acknowledges with the number of what has come again, and behind it. */
class AckedAhead extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    super.duplicate(slot, c, p, isPlain(p) ? (expected + 1) & 0xffffff : expected);
  }
}

export const DUPLICATE_FAULTS = faultsOf(DUPLICATE_ROWS, {
  duplicate_send_again: planted({ responder: SendsAgain }),
  duplicate_read_moves: planted({ responder: MovingReads }),
  duplicate_unanswered: planted({ responder: SilentAgain }),
  duplicate_nak: planted({ responder: NakedAgain }),
  duplicate_msn: planted({ responder: CountedAgain }),
  duplicate_ends_gap: planted({ responder: GapAgain }),
  duplicate_old_ahead: planted({ responder: ShortWindow }),
  duplicate_wrap_ahead: planted({ responder: PlainCompare }),
  duplicate_ends_message: planted({ responder: EndedMessage }),
  duplicate_write_restarts: planted({ responder: RestartedWrite }),
  duplicate_acked_ahead: planted({ responder: AckedAhead }),
  duplicate_read_unanswered: planted({ responder: DeafAgain }),
});
