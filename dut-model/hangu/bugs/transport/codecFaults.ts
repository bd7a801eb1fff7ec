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
import { faultsOf, planted } from '../fault.ts';
import { CODEC_ROWS } from './rows/codecRows.ts';

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

export const CODEC_FAULTS = faultsOf(CODEC_ROWS, {
  message_ends_empty: planted({ sendQueue: EmptyLast }),
  icrc_at_frame_end: planted({ parser: IcrcAtFrameEnd }),
  credits_unknown: planted({ parser: CreditsOnly }),
  range_wraps: planted({ responder: WrappingRange }),
});
