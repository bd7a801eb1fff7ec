/** Bugs of QUERY_QP: what it says of working and of broken queue pairs. */
import { CMD } from '../../layout/commands.ts';
import { CQC_FIELD, QPC_FIELD, QPC_STATE } from '../../layout/contexts.ts';
import { AGAIN } from '../../model/control/commandContext.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { faultsOf, planted } from '../fault.ts';
import { QUERY_ROWS } from './rows/queryRows.ts';

/** Answers QUERY_QP with the context's dwords in reversed order. */
class ScramblingCommands extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    if (status !== AGAIN && this.opcode === CMD.queryQp)
      this.core.bytes.i32.subarray(this.outbox >> 2, (this.outbox >> 2) + 48).reverse();
    return status;
  }
}

/** Answers QUERY_QP with what a change makes of the context's image, by its byte in the outbox. */
function answering(change: (u8: Uint8Array, outbox: number) => void): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const status = super.execute(handler);
      if (status !== AGAIN && this.opcode === CMD.queryQp) change(this.core.bytes.u8, this.outbox);
      return status;
    }
  };
}

/** Where QUERY_QP says the state, in the upper half of a byte, the next PSN, and in its lower bytes the expected one. */
const STATE_BYTE = QPC_FIELD.flags[0];

const NEXT_PSN_BYTE = QPC_FIELD.nextSendPsn[0];

const EXPECTED_PSN_BYTE = QPC_FIELD.rnrNextRecvPsn[0];

/** Says of every queue pair that is in a state that it works. */
function sayingRts(of: number): typeof CommandEngine {
  return answering((u8, outbox) => {
    const at = outbox + STATE_BYTE;
    if ((u8[at] as number) >>> 4 === of) u8[at] = (QPC_STATE.rts << 4) | ((u8[at] as number) & 0xf);
  });
}

/** Says of every queue pair that its next PSN is 0. */
const PsnForgotten = answering((u8, outbox) => u8.fill(0, outbox + NEXT_PSN_BYTE, outbox + NEXT_PSN_BYTE + 4));

/** Says of every queue pair that it expects the PSN behind the right one. */
const PsnAhead = answering((u8, outbox) => {
  const lowest = outbox + EXPECTED_PSN_BYTE + 3;
  u8[lowest] = (u8[lowest] as number) + 1;
});

/** Answers QUERY_CQ with what a change makes of the context's image, which it may compare with that of the last time. */
function answeringCq(change: (u8: Uint8Array, outbox: number, cqn: number) => void): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const status = super.execute(handler);
      if (status !== AGAIN && this.opcode === CMD.queryCq) change(this.core.bytes.u8, this.outbox, this.modifier);
      return status;
    }
  };
}

/** Says the size that a completion queue had when it was asked for first. */
class FirstSize extends CommandEngine {
  readonly #sizes = new Map<number, number>();
  protected override execute(handler: CommandHandler): number {
    if (this.opcode === CMD.sw2hwCq) this.#sizes.delete(this.modifier);
    const status = super.execute(handler);
    if (status === AGAIN || this.opcode !== CMD.queryCq) return status;
    const { u8 } = this.core.bytes;
    const at = this.outbox + CQC_FIELD.logSize[0];
    u8[at] = this.#sizes.get(this.modifier) ?? (u8[at] as number);
    this.#sizes.set(this.modifier, u8[at] as number);
    return status;
  }
}

/** Says of every completion queue that it works. */
const CqAlwaysOk = answeringCq((u8, outbox) => {
  u8[outbox + CQC_FIELD.flags[0]] = (u8[outbox + CQC_FIELD.flags[0]] as number) & 0xf;
});

/** Says of every completion queue that nothing was written. */
const CqUnwritten = answeringCq((u8, outbox) => {
  const at = outbox + CQC_FIELD.producerIndex[0];
  u8.fill(0, at, at + 4);
});

export const QUERY_FAULTS = faultsOf(QUERY_ROWS, {
  query_qp_scrambled: planted({ commands: ScramblingCommands }),
  query_qp_state: planted({ commands: sayingRts(QPC_STATE.err) }),
  query_qp_drained: planted({ commands: sayingRts(QPC_STATE.sqd) }),
  query_qp_psn: planted({ commands: PsnForgotten }),
  query_qp_expected_psn: planted({ commands: PsnAhead }),
  query_cq_first_size: planted({ commands: FirstSize }),
  query_cq_always_ok: planted({ commands: CqAlwaysOk }),
  query_cq_unwritten: planted({ commands: CqUnwritten }),
});
