/** Bugs of what a responder writes into memory: the payload of messages, and the header in front of datagrams. */
import { PayloadWriter } from '../../model/memory/payloadWriter.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { XLATE } from '../../model/memory/translation.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { Every, WRONG_KEYS, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

export const PAYLOAD_FAULTS: readonly Fault[] = [
  {
    name: 'write_carry',
    block: 'responder',
    description: 'the upper half of an address does not count on between the packets of a WRITE',
    caughtBy: ['SCB_STATUS', 'SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=address_carries'],
    create: planted({ payload: CarrylessWrites }),
  },
  {
    name: 'payload_dropped',
    block: 'responder',
    description: 'every 13th piece of payload is acknowledged and not written',
    caughtBy: ['SCB_DATA'],
    create: planted({ payload: DroppingPayload }),
  },
  {
    name: 'write_rounded',
    block: 'responder',
    description: 'the end of a message is written as a whole dword, over the bytes behind it',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_GUARD'],
    create: planted({ payload: RoundingPayload }),
  },
  {
    name: 'scatter_shifted',
    block: 'responder',
    description: 'every tenth piece is written one byte too far',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
    create: planted({ payload: ShiftedPayload }),
  },
  {
    name: 'data_after_completion',
    block: 'responder',
    description: 'the end of every fourth message is written after its completion',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
    create: planted({ payload: LatePayload }),
  },
  {
    name: 'write_overtaken',
    block: 'responder',
    description: 'the data of WRITEs are written after the messages that follow them have been received',
    caughtBy: ['SCB_OVERTAKEN'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=write_order'],
    create: planted({ payload: LateWrites }),
  },
  {
    name: 'grh_time_to_live',
    block: 'responder',
    description: 'the IP header in front of a datagram has lost its time to live',
    caughtBy: ['SCB_UD_GRH'],
    create: planted({ payload: ClearedGrh }),
  },
  {
    name: 'data_written_twice',
    block: 'responder',
    description: 'every sixth piece is written again after the buffer was given back',
    caughtBy: ['SCB_STRAY_WRITE'],
    create: planted({ payload: RepeatingPayload }),
  },
  {
    name: 'recv_key_ignored',
    block: 'responder',
    description: 'what the keys of a receive do not open is left out, and the receive completes with success',
    caughtBy: ['SCB_STATUS'],
    needs: WRONG_KEYS,
    create: planted({ payload: TrustingPayload }),
  },
  {
    name: 'recv_long_list',
    block: 'responder',
    description: 'a packet that begins behind the eighth entry of a receive is placed at the first ones',
    caughtBy: ['SCB_DATA'],
    needs: ['+SG_NUM=12', '+MTU=256', '+UD_QP_NUM=0'],
    create: planted({ payload: ShortList }),
  },
];
