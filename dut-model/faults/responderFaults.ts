/** Bugs of the responder, the receive queue and the response unit. */
import { SYNDROME } from '../../rdma/bth.ts';
import { QPC_SERVICE } from '../../rdma/hangu/contexts.ts';
import { HanguNic } from '../hangu/hanguNic.ts';
import { PayloadWriter } from '../hangu/payloadWriter.ts';
import { qpService } from '../hangu/qpContext.ts';
import type { QpSlot } from '../hangu/qpSlot.ts';
import { RECV, ReceiveQueue } from '../hangu/receiveQueue.ts';
import { Responder } from '../hangu/responder.ts';
import { ResponseUnit } from '../hangu/responseUnit.ts';
import { XLATE } from '../hangu/translation.ts';
import { OP } from '../roce/opcodeTable.ts';
import type { Resumable, RxPacket } from '../roce/rxPacket.ts';
import { Every } from './fault.ts';
import type { Fault } from './fault.ts';

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

/** The end of every fourth message is written long after its completion. */
class LatePayload extends PayloadWriter {
  readonly #turn = new Every(4);
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    if (!endsMessage(p, at + n) || !this.#turn.hit()) {
      super.store(p, at, hi, lo, n);
      return;
    }
    this.#later(hi, lo, n, at, p.block);
  }

  #later(hi: number, lo: number, n: number, from: number, block: number): void {
    const core = this.core;
    core.blocks.retain(block);
    const fire = (): void => {
      core.dma.write(hi, lo, n, from, block);
      core.blocks.release(block);
    };
    core.scheduler.schedule(LATE_PS, { fire });
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
class RepeatingPayload extends PayloadWriter {
  readonly #turn = new Every(6);
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    super.store(p, at, hi, lo, n);
    if (!this.#turn.hit()) return;
    const core = this.core;
    const { block } = p;
    core.blocks.retain(block);
    const fire = (): void => {
      core.dma.write(hi, lo, n, at, block);
      core.blocks.release(block);
    };
    core.scheduler.schedule(LATE_PS, { fire });
  }
}

/** Writes what WRITEs bring after everything that comes behind them. */
class LateWrites extends PayloadWriter {
  protected override store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    if ((p.bits & (OP.write | OP.imm)) !== OP.write) {
      super.store(p, at, hi, lo, n);
      return;
    }
    const core = this.core;
    const { block } = p;
    core.blocks.retain(block);
    const fire = (): void => {
      core.dma.write(hi, lo, n, at, block);
      core.blocks.release(block);
    };
    core.scheduler.schedule(LATE_PS / 2, { fire });
  }
}

/** Clears the time to live of the IPv4 header that it puts in front of datagrams. */
class ClearedGrh extends PayloadWriter {
  override prependGrh(p: RxPacket): void {
    super.prependGrh(p);
    this.core.bytes.u8[p.payload + 28] = 0;
  }
}

class WrongAckPsn extends ResponseUnit {
  readonly #turn = new Every(3);
  protected override ackPsn(psn: number): number {
    return this.#turn.hit() ? (psn + 1) & 0xffffff : psn;
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

/** Says twice that it refuses a request for good. */
class RepeatingNak extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn);
    if (syndrome > SYNDROME.nakSequence) super.acknowledge(slot, syndrome, psn, msn);
  }
}

/** Forgets to answer every 15th packet that asked for an answer. */
class SilentResponder extends Responder {
  readonly #turn = new Every(15);
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    if (!this.#turn.hit()) super.acknowledge(slot, c, p);
  }
}

/** Asks again for every 15th packet that it has acknowledged. */
class ForgetfulResponder extends Responder {
  readonly #turn = new Every(15);
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    super.acknowledge(slot, c, p);
    if (this.#turn.hit()) this.outOfOrder(slot, c, p.psn);
  }
}

/** Does not see the receive for every fifth message of a reliable connection. */
class ReluctantQueue extends ReceiveQueue {
  readonly #turn = new Every(5);
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    const reliable = qpService(this.core.bytes.i32, c) === QPC_SERVICE.rc;
    return reliable && slot.recvSegment < 0 && this.#turn.hit() ? RECV.empty : super.take(slot, c, asker);
  }
}

/** Skips a slot of the receive ring now and then. */
class SkippingQueue extends ReceiveQueue {
  readonly #turn = new Every(3);
  protected override nextHead(head: number, stride: number, ring: number): number {
    return super.nextHead(head, this.#turn.hit() ? stride * 2 : stride, ring);
  }
}

/** Uses every fifth receive buffer twice. */
class RepeatingQueue extends ReceiveQueue {
  readonly #turn = new Every(5);
  protected override nextHead(head: number, stride: number, ring: number): number {
    return this.#turn.hit() ? head : super.nextHead(head, stride, ring);
  }
}

function payload(P: typeof PayloadWriter): Fault['create'] {
  class Faulty extends HanguNic {
    protected override makePayload(): PayloadWriter {
      return new P(this.core);
    }
  }
  return (c, k) => new Faulty(c, k);
}

function responder(R: typeof Responder): Fault['create'] {
  class Faulty extends HanguNic {
    protected override makeResponder(): Responder {
      const { core, receiveQueue, responses, completions, events, receiveFlush } = this;
      return new R(core, this.payload, receiveQueue, responses, completions, events, receiveFlush);
    }
  }
  return (c, k) => new Faulty(c, k);
}

function responses(R: typeof ResponseUnit): Fault['create'] {
  class Faulty extends HanguNic {
    protected override makeResponses(): ResponseUnit {
      return new R(this.core, this.gather);
    }
  }
  return (c, k) => new Faulty(c, k);
}

function receiveQueue(Q: typeof ReceiveQueue): Fault['create'] {
  class Faulty extends HanguNic {
    protected override makeReceiveQueue(): ReceiveQueue {
      return new Q(this.core);
    }
  }
  return (c, k) => new Faulty(c, k);
}

export const RESPONDER_FAULTS: readonly Fault[] = [
  {
    name: 'qkey_ignored',
    block: 'responder',
    description: 'datagrams are taken whatever their Q_Key',
    caughtBy: ['SCB_NO_MESSAGE', 'SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=datagram_peers'],
    create: (c, k) => new HanguNic(c, { ...k, checkQkey: 0 }),
  },
  {
    name: 'payload_dropped',
    block: 'responder',
    description: 'every 13th piece of payload is acknowledged and not written',
    caughtBy: ['SCB_DATA'],
    create: payload(DroppingPayload),
  },
  {
    name: 'write_rounded',
    block: 'responder',
    description: 'the end of a message is written as a whole dword, over the bytes behind it',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_GUARD'],
    create: payload(RoundingPayload),
  },
  {
    name: 'scatter_shifted',
    block: 'responder',
    description: 'every tenth piece is written one byte too far',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
    create: payload(ShiftedPayload),
  },
  {
    name: 'data_after_completion',
    block: 'responder',
    description: 'the end of every fourth message is written after its completion',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
    create: payload(LatePayload),
  },
  {
    name: 'write_overtaken',
    block: 'responder',
    description: 'the data of WRITEs are written after the messages that follow them have been received',
    caughtBy: ['SCB_OVERTAKEN'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=write_order'],
    create: payload(LateWrites),
  },
  {
    name: 'grh_time_to_live',
    block: 'responder',
    description: 'the IP header in front of a datagram has lost its time to live',
    caughtBy: ['SCB_UD_GRH'],
    create: payload(ClearedGrh),
  },
  {
    name: 'data_written_twice',
    block: 'responder',
    description: 'every sixth piece is written again after the buffer was given back',
    caughtBy: ['SCB_STRAY_WRITE'],
    create: payload(RepeatingPayload),
  },
  {
    name: 'recv_key_ignored',
    block: 'responder',
    description: 'what the keys of a receive do not open is left out, and the receive completes with success',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=wrong_keys', '+RC_QP_NUM=21'],
    create: payload(TrustingPayload),
  },
  {
    name: 'ack_wrong_psn',
    block: 'response',
    description: 'every third acknowledgement carries the PSN after the right one',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_PSN', 'SCB_STATUS', 'SCB_STUCK'],
    create: responses(WrongAckPsn),
  },
  {
    name: 'msn_stuck',
    block: 'response',
    description: 'the MSN of acknowledgements stays at 1',
    caughtBy: ['WIRE_MSN'],
    create: responses(StuckMsn),
  },
  {
    name: 'msn_zero',
    block: 'response',
    description: 'the MSN of acknowledgements is always 0',
    caughtBy: ['WIRE_MSN'],
    create: responses(ForgottenMsn),
  },
  {
    name: 'msn_of_refused',
    block: 'response',
    description: 'the MSN of a NAK counts the message that it refuses',
    caughtBy: ['WIRE_MSN'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=wrong_keys', '+RC_QP_NUM=18'],
    create: responses(EagerMsn),
  },
  {
    name: 'rnr_timer',
    block: 'response',
    description: 'a receiver that is not ready asks for the shortest time, whatever its queue pair was given',
    caughtBy: ['WIRE_RNR'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+MIN_RNR_TIMER=3'],
    create: responses(HastyReceiver),
  },
  {
    name: 'answers_after_stop',
    block: 'response',
    description: 'a queue pair goes on answering READs after it was stopped',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=3'],
    create: responses(TirelessResponder),
  },
  {
    name: 'nak_repeated',
    block: 'response',
    description: 'a NAK that takes its queue pair to the error state is sent twice',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=wrong_keys', '+RC_QP_NUM=18'],
    create: responses(RepeatingNak),
  },
  {
    name: 'dest_read_limit',
    block: 'response',
    description: 'READs are answered for which the queue pair has no resources',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=6'],
    create: responses(UnlimitedAnswers),
  },
  {
    name: 'ack_missing',
    block: 'responder',
    description: 'every 15th packet that asks for an acknowledgement gets none',
    caughtBy: ['SCB_STUCK', 'SCB_STATUS'],
    needs: ['+READ_WQE_NUM=0'],
    create: responder(SilentResponder),
  },
  {
    name: 'nak_after_ack',
    block: 'responder',
    description: 'every 15th acknowledged packet is asked for again',
    caughtBy: ['WIRE_NAK'],
    needs: ['+READ_WQE_NUM=0'],
    create: responder(ForgetfulResponder),
  },
  {
    name: 'recv_overlooked',
    block: 'receive queue',
    description: 'every fifth message of a reliable connection is refused although a receive is posted',
    caughtBy: ['SCB_REFUSED'],
    create: receiveQueue(ReluctantQueue),
  },
  {
    name: 'recv_slot_skipped',
    block: 'receive queue',
    description: 'every third receive request is skipped',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_STUCK'],
    create: receiveQueue(SkippingQueue),
  },
  {
    name: 'recv_slot_reused',
    block: 'receive queue',
    description: 'every fifth receive request is used twice',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_DUPLICATE', 'SCB_STUCK'],
    create: receiveQueue(RepeatingQueue),
  },
];
