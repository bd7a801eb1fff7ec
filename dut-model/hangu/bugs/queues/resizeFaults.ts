/** Bugs of completion queues that get another size. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { CQC_DW } from '../../model/queues/completionUnit.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const RESIZED_QUEUES: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=resized_queues',
  '+RC_QP_NUM=8',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];
const CONTEXT_WORDS = 16;

/** Does something with the context of a queue, at dword `c`, as soon as it has been resized. `before`: its words before that. */
function resizing(act: (w: Int32Array, c: number, before: Int32Array) => void): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const at = this.opcode === CMD.resizeCq ? this.core.cqc.lookup(this.modifier, this) : -1;
      const c = at >> 2;
      const before = this.core.bytes.i32.slice(c, c + CONTEXT_WORDS);
      const status = super.execute(handler);
      if (at >= 0 && status === CMD_STATUS.ok) act(this.core.bytes.i32, c, before);
      return status;
    }
  };
}

/** Keeps a word of the context. */
function keeping(word: number): typeof CommandEngine {
  return resizing((w, c, before) => {
    w[c + word] = before[word] as number;
  });
}

function clearing(word: number): typeof CommandEngine {
  return resizing((w, c) => {
    w[c + word] = 0;
  });
}

export const RESIZE_FAULTS: readonly Fault[] = [
  {
    name: 'resize_restarts',
    block: 'command engine',
    description: 'a completion queue that is resized begins at the first place of its new ring',
    caughtBy: ['HCA_CQE_INDEX'],
    needs: RESIZED_QUEUES,
    create: planted({ commands: clearing(CQC_DW.producer) }),
  },
  {
    name: 'resize_size_kept',
    block: 'command engine',
    description: 'a completion queue that is resized goes round as before',
    caughtBy: ['SCB_CQE_ADDR', 'HCA_CQE_INDEX'],
    needs: RESIZED_QUEUES,
    create: planted({ commands: keeping(CQC_DW.logSize) }),
  },
  {
    name: 'resize_ring_kept',
    block: 'command engine',
    description: 'a completion queue that is resized stays in its ring',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: RESIZED_QUEUES,
    create: planted({ commands: keeping(CQC_DW.lkey) }),
  },
  {
    name: 'resize_disarms',
    block: 'command engine',
    description: 'a completion queue that is resized is armed no longer',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: RESIZED_QUEUES,
    create: planted({ commands: clearing(CQC_DW.armed) }),
  },
];
