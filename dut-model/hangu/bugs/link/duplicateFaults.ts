/** Bugs of a responder with requests that come again. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { expectedPsn, QPC_DW, setExpectedPsn } from '../../model/qpContext.ts';
import { IN_MESSAGE, type QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { type Fault, planted } from '../fault.ts';
import { readsUnderFaults, shortUnderFaults, underFaults } from './linkStimulus.ts';

/** Executes messages of one packet of some kind again when they come again. */
abstract class Repeating extends Responder {
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

const AGAIN = '+NET_FAULT=duplicate opcode=send,write every=3 after=3us';

export const DUPLICATE_FAULTS: readonly Fault[] = [
  {
    name: 'duplicate_send_again',
    block: 'responder',
    description: 'a SEND that comes again is received again',
    caughtBy: ['WIRE_NAK', 'WIRE_MSN', 'SCB_DATA'],
    needs: shortUnderFaults(AGAIN),
    create: planted({ responder: SendsAgain }),
  },
  {
    name: 'duplicate_read_moves',
    block: 'responder',
    description: 'a READ that comes again moves the responder to the packet behind it',
    caughtBy: ['WIRE_NAK', 'WIRE_MSN', 'WIRE_ACK_PSN'],
    needs: underFaults('+NET_FAULT=duplicate opcode=read_request every=2 after=3us'),
    create: planted({ responder: MovingReads }),
  },
  {
    name: 'duplicate_unanswered',
    block: 'responder',
    description: 'a SEND or WRITE that comes again is not acknowledged',
    caughtBy: ['SCB_UNANSWERED'],
    needs: shortUnderFaults('+READ_WQE_NUM=0', '+NET_FAULT=drop opcode=ack nth=1..60'),
    create: planted({ responder: SilentAgain }),
  },
  {
    name: 'duplicate_nak',
    block: 'responder',
    description: 'a SEND or WRITE that comes again is answered with a NAK for a gap',
    caughtBy: ['WIRE_NAK'],
    needs: shortUnderFaults(AGAIN),
    create: planted({ responder: NakedAgain }),
  },
  {
    name: 'duplicate_msn',
    block: 'responder',
    description: 'a SEND or WRITE that comes again counts as a message',
    caughtBy: ['WIRE_MSN'],
    needs: shortUnderFaults(AGAIN),
    create: planted({ responder: CountedAgain }),
  },
  {
    name: 'duplicate_ends_gap',
    block: 'responder',
    description: 'after a request that has come again a gap is told once more',
    caughtBy: ['WIRE_NAK'],
    needs: underFaults('+NET_FAULT=drop opcode=send,write every=9; duplicate opcode=send,write every=2 after=1us'),
    create: planted({ responder: GapAgain }),
  },
  {
    name: 'duplicate_old_ahead',
    block: 'responder',
    description: 'what comes again later than four packets is taken for what is still to come',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_NAK'],
    needs: underFaults('+NET_FAULT=duplicate opcode=send,write every=5 after=20us'),
    create: planted({ responder: ShortWindow }),
  },
  {
    name: 'duplicate_wrap_ahead',
    block: 'responder',
    description: 'what comes again from before the wrap of the PSN is taken for what is still to come',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_NAK'],
    needs: underFaults('+PSN=0xfffff0', '+NET_FAULT=duplicate opcode=send,write every=2 after=20us'),
    create: planted({ responder: PlainCompare }),
  },
  {
    name: 'duplicate_ends_message',
    block: 'responder',
    description: 'a request that comes again ends the message that is being received',
    caughtBy: ['SCB_REFUSED'],
    needs: underFaults(AGAIN),
    create: planted({ responder: EndedMessage }),
  },
  {
    name: 'duplicate_write_restarts',
    block: 'responder',
    description: 'the rest of a WRITE goes to the start of one that comes again',
    caughtBy: ['SCB_DATA'],
    needs: underFaults('+NET_FAULT=duplicate opcode=write_first every=2 after=1ns'),
    create: planted({ responder: RestartedWrite }),
  },
  {
    name: 'duplicate_acked_ahead',
    block: 'responder',
    description: 'the acknowledgement of a request that comes again is for one packet more than has come',
    caughtBy: ['WIRE_ACK_ORDER', 'WIRE_ACK_PSN'],
    needs: underFaults(AGAIN),
    create: planted({ responder: AckedAhead }),
  },
  {
    name: 'duplicate_read_unanswered',
    block: 'responder',
    description: 'a READ whose answers were lost is not answered when it comes again',
    caughtBy: ['SCB_UNANSWERED'],
    needs: readsUnderFaults('+NET_FAULT=drop opcode=read_response_last every=3'),
    create: planted({ responder: DeafAgain }),
  },
];
