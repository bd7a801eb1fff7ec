/** Bugs of events for queues that are armed for solicited completions. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CQC_DW, CompletionUnit } from '../../model/queues/completionUnit.ts';
import { takesShared } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import type { Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { SOLICITED_ROWS } from './rows/solicitedRows.ts';

const BASE_OPCODE = 0x1f;

const LAST_OF_SEVERAL: readonly number[] = [BTH_OP.sendLast, BTH_OP.sendLastImm, BTH_OP.writeLastImm];

const WRITES: readonly number[] = [BTH_OP.writeLastImm, BTH_OP.writeOnlyImm];

/** Values of `CQC_DW.armed`. */
const NEXT = 1;

const NEXT_SOLICITED = 2;

/** Does not see that a message is solicited which ends in one of these opcodes. */
function blindTo(opcodes: readonly number[]): typeof Responder {
  return class extends Responder {
    protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
      if (opcodes.includes(p.opcode & BASE_OPCODE)) p.solicited = false;
      super.completeReceive(slot, c, p, syndrome);
    }
  };
}

/** Arms for any completion, whatever was asked for. */
class UnselectiveArming extends CompletionUnit {
  override arm(cqn: number, _solicitedOnly: boolean, consumer: number): void {
    super.arm(cqn, false, consumer);
  }
}

const NOBODY: Resumable = { resume: () => {} };

/** Does something with the context of a queue, where that is at hand, as it is armed for solicited completions. */
function arming(before: (w: Int32Array, c: number) => void, after: (w: Int32Array, c: number) => void) {
  return class extends CompletionUnit {
    override arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
      const at = solicitedOnly ? this.core.cqc.lookup(cqn, NOBODY) : -1;
      if (at >= 0) before(this.core.bytes.i32, at >> 2);
      super.arm(cqn, solicitedOnly, consumer);
      if (at >= 0) after(this.core.bytes.i32, at >> 2);
    }
  };
}

const nothing = (): void => {};

/** Takes back that the queue is armed for any completion. */
const WeakeningArming = arming(nothing, (w, c) => {
  if (w[c + CQC_DW.armed] === NEXT) w[c + CQC_DW.armed] = NEXT_SOLICITED;
});

/** Takes what came last for solicited. */
const HastyArming = arming((w, c) => {
  w[c + CQC_DW.solicited] = w[c + CQC_DW.producer] as number;
}, nothing);

/** Does not see that a message is solicited which takes a shared receive. */
class SharedUnsolicited extends Responder {
  protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
    if (takesShared(this.core.bytes.i32, c)) p.solicited = false;
    super.completeReceive(slot, c, p, syndrome);
  }
}

/** Keeps in a slot of a shared queue that the message before was solicited. */
class SharedMarked extends Responder {
  readonly #marked = new Set<number>();
  protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
    if (takesShared(this.core.bytes.i32, c)) {
      if (p.solicited) this.#marked.add(slot.recvOffset);
      else p.solicited = this.#marked.has(slot.recvOffset);
    }
    super.completeReceive(slot, c, p, syndrome);
  }
}

class QuietErrors extends CompletionUnit {
  protected override isSolicited(e: CompletionEntry): boolean {
    return e.solicited;
  }
}

export const SOLICITED_FAULTS = faultsOf(SOLICITED_ROWS, {
  solicited_long: planted({ responder: blindTo(LAST_OF_SEVERAL) }),
  solicited_write: planted({ responder: blindTo(WRITES) }),
  solicited_error: planted({ completions: QuietErrors }),
  solicited_any: planted({ completions: UnselectiveArming }),
  solicited_early: planted({ completions: HastyArming }),
  solicited_shared: planted({ responder: SharedUnsolicited }),
  solicited_shared_kept: planted({ responder: SharedMarked }),
  arming_weakened: planted({ completions: WeakeningArming }),
});
