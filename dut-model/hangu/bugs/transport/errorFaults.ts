/** Bugs of the way to the error state, and of what is flushed there. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { qpState, setQpState } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { ReceiveFlush } from '../../model/transport/receiveFlush.ts';
import { Responder } from '../../model/transport/responder.ts';
import { type ErrorSink, SendCompletion } from '../../model/transport/sendCompletion.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { ERROR_ROWS } from './rows/errorRows.ts';

/** A receive side that hears of no error. */
const NOBODY: ErrorSink = { enterError() {} };

/** Keeps its receives when a request of its own has failed. */
class OneSidedCompletion extends SendCompletion {
  override fail(slot: QpSlot, c: number, syndrome: number): void {
    const side = this.receiveSide;
    this.receiveSide = NOBODY;
    super.fail(slot, c, syndrome);
    this.receiveSide = side;
  }
}

/** Keeps its receives when it has refused a request. */
class OneSidedFlush extends ReceiveFlush {
  override enterErrorFromReceiver(slot: QpSlot): void {
    this.sendSide.flush(slot);
  }
}

/** Keeps its sends when it has refused a request. */
class KeptSends extends ReceiveFlush {
  override enterErrorFromReceiver(slot: QpSlot): void {
    const side = this.sendSide;
    this.sendSide = { flush() {}, fetchRest() {} };
    super.enterErrorFromReceiver(slot);
    this.sendSide = side;
  }
}

/** Goes on after a READ that it has refused. */
class ForgivingResponder extends Responder {
  protected override stop(slot: QpSlot, c: number, p: RxPacket): void {
    if ((p.opcode & 31) !== BTH_OP.readRequest) super.stop(slot, c, p);
  }
}

/** Goes on after a receive of an unreliable service that has failed. */
class UnshakenResponder extends Responder {
  protected override stop(slot: QpSlot, c: number, p: RxPacket): void {
    if (p.opcode >> 5 === 0) super.stop(slot, c, p);
  }
}

/** Keeps its receives when software takes it from SQE to ERR: its sends have been flushed already. */
class HalfwayCommands extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const c = this.opcode === CMD.twoErr ? this.core.queuePair(this.modifier & 0xff_ffff, this) : -1;
    const w = this.core.bytes.i32;
    if (c < 0 || qpState(w, c) !== QPC_STATE.sqe) return super.execute(handler);
    setQpState(w, c, QPC_STATE.err);
    this.core.qpc.touch(c << 2);
    return CMD_STATUS.ok;
  }
}

export const ERROR_FAULTS = faultsOf(ERROR_ROWS, {
  requester_error_keeps_recvs: planted({ sendCompletion: OneSidedCompletion }),
  refusal_keeps_recvs: planted({ receiveFlush: OneSidedFlush }),
  refusal_keeps_sends: planted({ receiveFlush: KeptSends }),
  refused_read_ignored: planted({ responder: ForgivingResponder }),
  failed_recv_ignored: planted({ responder: UnshakenResponder }),
  sqe_to_error_keeps_recvs: planted({ commands: HalfwayCommands }),
});
