/** Bugs of QUERY_QP, QUERY_CQ and QUERY_MPT: what they say of working and of broken queues, and of regions. */
import { CMD } from '../../layout/commands.ts';
import { CQC_FIELD, MPT_FIELD, MPT_PERMISSION, QPC_FIELD, QPC_STATE } from '../../layout/contexts.ts';
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

type Change = (u8: Uint8Array, outbox: number) => void;

/** Answers a query with what a change makes of the image, by its byte in the outbox. */
function answeringTo(opcode: number, change: Change): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const status = super.execute(handler);
      if (status !== AGAIN && this.opcode === opcode) change(this.core.bytes.u8, this.outbox);
      return status;
    }
  };
}

const answering = (change: Change): typeof CommandEngine => answeringTo(CMD.queryQp, change);
const answeringCq = (change: Change): typeof CommandEngine => answeringTo(CMD.queryCq, change);
const answeringMpt = (change: Change): typeof CommandEngine => answeringTo(CMD.queryMpt, change);

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

/** Says of every region that it may be written. */
const AlwaysWritable = answeringMpt((u8, outbox) => {
  const lowest = outbox + MPT_FIELD.flags[0] + 3;
  u8[lowest] = (u8[lowest] as number) | MPT_PERMISSION.localWrite;
});

/** Says of every region the domain of the one that was asked for before. */
class FormerDomain extends CommandEngine {
  #domain: Uint8Array | undefined;
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    if (status === AGAIN || this.opcode !== CMD.queryMpt) return status;
    const at = this.outbox + MPT_FIELD.pd[0];
    const { u8 } = this.core.bytes;
    const own = u8.slice(at, at + MPT_FIELD.pd[1]);
    if (this.#domain !== undefined) u8.set(this.#domain, at);
    this.#domain = own;
    return status;
  }
}

/** Says of every region that it begins with its page. */
const PageStart = answeringMpt((u8, outbox) => {
  const lowest = outbox + MPT_FIELD.start[0] + 7;
  u8[lowest] = 0;
  u8[lowest - 1] = (u8[lowest - 1] as number) & 0xf0;
});

/** Says the lower 12 bits of the length of a region. */
const ShortLength = answeringMpt((u8, outbox) => {
  const lowest = outbox + MPT_FIELD.length[0] + 7;
  u8.fill(0, lowest - 3, lowest - 1);
  u8[lowest - 1] = (u8[lowest - 1] as number) & 0xf;
});

/** Says of every region that its addresses are virtual. */
const AlwaysVirtual = answeringMpt((u8, outbox) => {
  const lowest = outbox + MPT_FIELD.flags[0] + 3;
  u8[lowest] = (u8[lowest] as number) & ~MPT_PERMISSION.zeroBased;
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
  query_mpt_rights: planted({ commands: AlwaysWritable }),
  query_mpt_domain: planted({ commands: FormerDomain }),
  query_mpt_start: planted({ commands: PageStart }),
  query_mpt_length: planted({ commands: ShortLength }),
  query_mpt_virtual: planted({ commands: AlwaysVirtual }),
});
