/** Bugs of what a responder writes into memory: the payload of messages, and the header in front of datagrams. */
import { PayloadWriter } from '../../model/memory/payloadWriter.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { XLATE } from '../../model/memory/translation.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { PAYLOAD_ROWS } from './rows/payloadRows.ts';

const LATE_PS = 3_000_000;

/** Whether what lies in front of byte-store offset `end` is all that there is of a message. */
function endsMessage(p: RxPacket, end: number): boolean {
  return (p.bits & OP.end) !== 0 && end === p.payload + p.length;
}

/** Acknowledges a packet whose payload it drops. */
class DroppingPayload extends PayloadWriter {
  readonly #turn = new Every(13);
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    if (!this.#turn.hit()) super.store(p, at, hi, lo, n);
  }
}

/** Writes whole dwords where the message ends within one. */
class RoundingPayload extends PayloadWriter {
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    const rest = -(lo + n) & 3;
    const rounded = endsMessage(p, at + n) && (lo & 0xfff) + n + rest <= 4096;
    super.store(p, at, hi, lo, rounded ? n + rest : n);
  }
}

class ShiftedPayload extends PayloadWriter {
  readonly #turn = new Every(10);
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    super.store(p, at, hi, this.#turn.hit() && (lo & 0xfff) + n < 4096 ? lo + 1 : lo, n);
  }
}

/** Can write a piece later than the model does. */
class LateWriter extends PayloadWriter {
  protected storeLater(p: RxPacket, at: number, hi: number, lo: number, n: number, delayPs: number): void {
    const { blocks, dma, scheduler } = this.core;
    const { block } = p;
    blocks.retain(block);
    const fire = (): void => {
      dma.write(hi, lo, n, at, block);
      blocks.release(block);
    };
    scheduler.schedule(delayPs, { fire });
  }
}

/** The end of every fourth message is written long after its completion. */
class LatePayload extends LateWriter {
  readonly #turn = new Every(4);
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    if (endsMessage(p, at + n) && this.#turn.hit()) this.storeLater(p, at, hi, lo, n, LATE_PS);
    else super.store(p, at, hi, lo, n);
  }
}

/** Leaves out what the keys of a receive do not open, and goes on. */
class TrustingPayload extends PayloadWriter {
  override scatter(slot: QpSlot, c: number, p: RxPacket): number {
    const result = super.scatter(slot, c, p);
    return result === XLATE.wait ? result : XLATE.ok;
  }
}

/** Writes every sixth packet's payload a second time, after the buffer has been given back. */
class RepeatingPayload extends LateWriter {
  readonly #turn = new Every(6);
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    super.store(p, at, hi, lo, n);
    if (this.#turn.hit()) this.storeLater(p, at, hi, lo, n, LATE_PS);
  }
}

/** Writes what WRITEs bring after everything that comes behind them. */
class LateWrites extends LateWriter {
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    if ((p.bits & (OP.write | OP.imm)) === OP.write) this.storeLater(p, at, hi, lo, n, LATE_PS / 2);
    else super.store(p, at, hi, lo, n);
  }
}

/** Clears the time to live of the IPv4 header that it puts in front of datagrams. */
class ClearedGrh extends PayloadWriter {
  override prependGrh(p: RxPacket): void {
    super.prependGrh(p);
    this.core.bytes.u8[p.payload + 28] = 0;
  }
}

/** Keeps the upper half of a WRITE's address from its first packet on. */
class CarrylessWrites extends PayloadWriter {
  override write(slot: QpSlot, c: number, p: RxPacket): number {
    const { writeHi } = slot;
    const result = super.write(slot, c, p);
    if (result === XLATE.ok) slot.writeHi = writeHi;
    return result;
  }
}

/** Keeps from packet to packet in three bits at which entry of a receive it is. */
class ShortList extends PayloadWriter {
  override scatter(slot: QpSlot, c: number, p: RxPacket): number {
    slot.recvSge &= 7;
    return super.scatter(slot, c, p);
  }
}

export const PAYLOAD_FAULTS = faultsOf(PAYLOAD_ROWS, {
  write_carry: planted({ payload: CarrylessWrites }),
  payload_dropped: planted({ payload: DroppingPayload }),
  write_rounded: planted({ payload: RoundingPayload }),
  scatter_shifted: planted({ payload: ShiftedPayload }),
  data_after_completion: planted({ payload: LatePayload }),
  write_overtaken: planted({ payload: LateWrites }),
  grh_time_to_live: planted({ payload: ClearedGrh }),
  data_written_twice: planted({ payload: RepeatingPayload }),
  recv_key_ignored: planted({ payload: TrustingPayload }),
  recv_long_list: planted({ payload: ShortList }),
});
