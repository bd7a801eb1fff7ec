/** Bugs of completion queues that get another size. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { CQC_DW } from '../../model/queues/completionUnit.ts';
import { faultsOf, planted } from '../fault.ts';
import { RESIZE_ROWS } from './rows/resizeRows.ts';

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

export const RESIZE_FAULTS = faultsOf(RESIZE_ROWS, {
  resize_restarts: planted({ commands: clearing(CQC_DW.producer) }),
  resize_size_kept: planted({ commands: keeping(CQC_DW.logSize) }),
  resize_ring_kept: planted({ commands: keeping(CQC_DW.lkey) }),
  resize_disarms: planted({ commands: clearing(CQC_DW.armed) }),
});
