/** Bugs of how many packets a message has, and of what a receiver makes of headers. */
import { OP } from '../../../roce/opcodeTable.ts';
import { FrameParser } from '../../../roce/frameParser.ts';
import type { Frame } from '../../../nic.ts';
import { ICRC_BYTES } from '../../../roce/frameLayout.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { isFetch } from '../../layout/queues.ts';
import { qpMtu } from '../../model/qpContext.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { Responder } from '../../model/transport/responder.ts';
import type { SendRequest } from '../../model/transport/qpSlot.ts';
import { XLATE } from '../../model/memory/translation.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const caseOf = (id: string): readonly string[] => [
  '+UVM_TESTNAME=test_conformance',
  `+CASE=${id}`,
  '+RC_QP_NUM=1',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
  '+ACK_TIMEOUT=5',
];

/** Ends a message of whole packets with an empty one. */
class EmptyLast extends SendQueue {
  protected override checkLength(r: SendRequest, service: number, c: number): void {
    super.checkLength(r, service, c);
    const mtu = qpMtu(this.core.bytes.i32, c);
    if (isFetch(r.opcode) || r.length <= mtu || r.length % mtu !== 0) return;
    r.packets++;
    r.psns++;
  }
}

/** Looks for the ICRC at the end of the frame, though a short one is filled up. */
class IcrcAtFrameEnd extends FrameParser {
  #end = 0;
  override parse(frame: Frame, p: RxPacket): boolean {
    this.#end = frame.data + frame.length - ICRC_BYTES;
    return super.parse(frame, p);
  }
  protected override icrcMatches(l3: number, l3Bytes: number): boolean {
    return super.icrcMatches(l3, l3Bytes, this.#end);
  }
}

const CREDITS = 0x1f;

/** Takes acknowledgements that give no unlimited credits for none. */
class CreditsOnly extends FrameParser {
  override parse(frame: Frame, p: RxPacket): boolean {
    if (!super.parse(frame, p)) return false;
    const isPlain = (p.bits & OP.aeth) !== 0 && p.syndrome <= CREDITS && (p.bits & OP.full) === 0;
    return !isPlain || p.syndrome === CREDITS;
  }
}

/** Adds address and length of a WRITE in 64 bits: a range beyond the last address is taken for an empty one. */
class WrappingRange extends Responder {
  protected override checkKey(c: number, p: RxPacket, need: number): number {
    if (p.vaHi !== -1 || (p.vaLo >>> 0) + p.dmaLength <= TWO_32) return super.checkKey(c, p, need);
    p.dmaLength = 0;
    p.length = 0;
    return XLATE.ok;
  }
}

export const CODEC_FAULTS: readonly Fault[] = [
  {
    name: 'message_ends_empty',
    block: 'send queue',
    description: 'a message of two or more whole packets ends with an empty one',
    caughtBy: ['WIRE_PAYLOAD'],
    needs: caseOf('T-007'),
    create: planted({ sendQueue: EmptyLast }),
  },
  {
    name: 'icrc_at_frame_end',
    block: 'parser',
    description: 'a receiver looks for the ICRC of a frame that is filled up at its very end',
    caughtBy: ['SCB_UNANSWERED'],
    needs: caseOf('T-008'),
    create: planted({ parser: IcrcAtFrameEnd }),
  },
  {
    name: 'credits_unknown',
    block: 'parser',
    description: 'acknowledgements with a number of credits are overlooked',
    caughtBy: ['CASE_FAILED'],
    needs: caseOf('T-036'),
    create: planted({ parser: CreditsOnly }),
  },
  {
    name: 'range_wraps',
    block: 'responder',
    description: 'a WRITE to a range beyond the last address is taken for an empty one',
    caughtBy: ['SCB_STATUS'],
    needs: caseOf('T-053'),
    create: planted({ responder: WrappingRange }),
  },
];
