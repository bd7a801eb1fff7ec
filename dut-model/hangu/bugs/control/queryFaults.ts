/** Bugs of QUERY_QP: what it says of working and of broken queue pairs. */
import { CMD } from '../../layout/commands.ts';
import { QPC_FIELD, QPC_STATE } from '../../layout/contexts.ts';
import { AGAIN } from '../../model/control/commandContext.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

const QUERY_STATES = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=query_states'];

export const QUERY_FAULTS: readonly Fault[] = [
  {
    name: 'query_qp_scrambled',
    block: 'command engine',
    description: 'QUERY_QP returns the context in reversed order',
    caughtBy: ['HCA_QUERY_QP'],
    create: planted({ commands: ScramblingCommands }),
  },
  {
    name: 'query_qp_state',
    block: 'command engine',
    description: 'QUERY_QP says RTS of queue pairs in ERR',
    caughtBy: ['SCB_QUERY_QP'],
    needs: QUERY_STATES,
    create: planted({ commands: sayingRts(QPC_STATE.err) }),
  },
  {
    name: 'query_qp_drained',
    block: 'command engine',
    description: 'QUERY_QP says RTS of queue pairs in SQD',
    caughtBy: ['SCB_QUERY_QP'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=drained_peers'],
    create: planted({ commands: sayingRts(QPC_STATE.sqd) }),
  },
  {
    name: 'query_qp_psn',
    block: 'command engine',
    description: 'QUERY_QP says 0 for the next PSN',
    caughtBy: ['SCB_QUERY_QP'],
    needs: [...QUERY_STATES, '+PSN=0'],
    create: planted({ commands: PsnForgotten }),
  },
  {
    name: 'query_qp_expected_psn',
    block: 'command engine',
    description: 'QUERY_QP says that the PSN behind the right one is expected',
    caughtBy: ['SCB_QUERY_QP'],
    needs: QUERY_STATES,
    create: planted({ commands: PsnAhead }),
  },
];
