/** Bugs of a NIC that is set up once more after CLOSE_HCA: something of its life before is still there. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { CQC_DW } from '../../model/queues/completionUnit.ts';
import { EventUnit } from '../../model/queues/eventUnit.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import { Translation, XLATE } from '../../model/memory/translation.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { RESTART_ROWS } from './rows/restartRows.ts';

/** Takes over what a word of the table entry said when the number was given back before, by commands that do these. */
function keeping(table: 'qpc' | 'cqc', word: number, given: number, taken: number): typeof CommandEngine {
  return class extends CommandEngine {
    readonly #kept = new Map<number, number>();
    protected override execute(handler: CommandHandler): number {
      const number = this.modifier & 0xff_ffff;
      const { i32 } = this.core.bytes;
      const at = this.opcode === taken ? this.core[table].lookup(number, this) : -1;
      const value = at < 0 ? 0 : (i32[(at >> 2) + word] as number);
      const status = super.execute(handler);
      if (status !== CMD_STATUS.ok) return status;
      if (at >= 0) this.#kept.set(number, value);
      const before = this.opcode === given ? this.#kept.get(number) : undefined;
      if (before !== undefined) i32[(this.core[table].lookup(number, this) >> 2) + word] = before;
      return status;
    }
  };
}

/** Goes on in an event queue where it was when that was closed. */
class KeptEventIndex extends EventUnit {
  readonly #kept = new Map<number, number>();
  override open(eqn: number, logSize: number, vector: number, pd: number, lkey: number, producer: number): void {
    super.open(eqn, logSize, vector, pd, lkey, this.#kept.get(eqn) ?? producer);
  }

  override close(eqn: number): number {
    const producer = super.close(eqn);
    this.#kept.set(eqn, producer);
    return producer;
  }
}

/** Remembers where the pages of completion queues are, by key, and never asks again. */
class KeptPages extends Translation {
  readonly #kept = new Map<string, readonly [hi: number, lo: number]>();
  override translate(
    key: number,
    pd: number,
    hi: number,
    lo: number,
    length: number,
    need: number,
    relative: boolean,
    asker: Resumable,
  ): number {
    const result = super.translate(key, pd, hi, lo, length, need, relative, asker);
    if (result !== XLATE.ok || !relative || need !== MPT_PERMISSION.localWrite) return result;
    const place = `${key} ${lo >>> 12}`;
    const [paHi, paLo] = this.#kept.get(place) ?? [this.paHi, this.paLo];
    this.#kept.set(place, [paHi, paLo]);
    this.paHi = paHi;
    this.paLo = (paLo & -4096) | (lo & 4095);
    return result;
  }
}

export const RESTART_FAULTS = faultsOf(RESTART_ROWS, {
  kept_event_index: planted({ events: KeptEventIndex }),
  kept_cq_index: planted({ commands: keeping('cqc', CQC_DW.producer, CMD.sw2hwCq, CMD.hw2swCq) }),
  kept_rq_head: planted({ commands: keeping('qpc', QPC_DW.rqHead, CMD.rst2init, CMD.err2rst) }),
  kept_msn: planted({ commands: keeping('qpc', QPC_DW.msn, CMD.init2rtr, CMD.err2rst) }),
  kept_pages: planted({ translation: KeptPages }),
});
