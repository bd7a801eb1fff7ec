/** Bugs of the command engine: commands that it must refuse, and how it answers. */
import {
  CMD,
  CMD_STATUS,
  HCR_DWORDS,
  HCR_GO,
  HCR_OPCODE_MASK,
  HCR_STATUS_SHIFT,
  OUTBOX_BYTES,
} from '../../layout/commands.ts';
import { DEV_LIM_FIELD, MPT_FIELD, QPC_FIELD } from '../../layout/contexts.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { AGAIN, type CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import { MPT_DW } from '../../model/memory/region.ts';
import { swap32 } from '../../../roce/endian.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { COMMAND_ROWS } from './rows/commandRows.ts';

/** Commands with the attributes of a queue pair that is about to work; one step of its MTU code. */
const TO_RTS: readonly number[] = [CMD.init2rtr, CMD.rtr2rts];

const MTU_SHIFT = 5;

const MTU_STEP = 1 << MTU_SHIFT;

const OPCODE_REGISTER = HCR_DWORDS - 1;

/** Opcodes from here on are those of the memory of the tables. */
const WIDE_OPCODES = 0xf00;

/** Does something more with what has been refused, and may answer another status. */
function afterwards(act: (c: CommandEngine, status: number) => number): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const status = super.execute(handler);
      return status === AGAIN || status === CMD_STATUS.ok ? status : act(this, status);
    }
  };
}

/** Takes only eight bits of the opcode. */
class CutOpcode extends CommandEngine {
  override writeRegister(index: number, value: number): void {
    const cut = index === OPCODE_REGISTER && (value & HCR_OPCODE_MASK) < WIDE_OPCODES;
    super.writeRegister(index, cut ? value & ~WIDE_OPCODES : value);
  }
}

/** Begins a command as soon as its last dword is written. */
class GoIgnored extends CommandEngine {
  override writeRegister(index: number, value: number): void {
    super.writeRegister(index, index === OPCODE_REGISTER ? value | HCR_GO : value);
  }
}

/** Writes the answer to a query that it has refused. */
function answerAnyway({ core, opcode, outHi, outLo, outbox }: CommandEngine, status: number): number {
  if (opcode !== CMD.queryQp) return status;
  const block = core.dma.acquireBlock();
  const at = core.dma.blockOffset(block);
  core.bytes.copy(at, outbox, OUTBOX_BYTES.qp);
  core.dma.write(outHi, outLo, OUTBOX_BYTES.qp, at, block);
  core.dma.releaseBlock(block);
  return status;
}

/** Takes the protection domain of the entry over for a key that is in use. */
function replaceDomain(c: CommandEngine, status: number): number {
  if (c.opcode !== CMD.sw2hwMpt || status !== CMD_STATUS.badResourceState) return status;
  const { mpt, bytes, icm, xlate } = c.core;
  const at = mpt.lookup(c.modifier & (icm.mpt.entries - 1), c);
  if (at < 0) return status;
  bytes.i32[(at >> 2) + MPT_DW.pd] = swap32(bytes.i32[(c.inbox + MPT_FIELD.pd[0]) >> 2] as number);
  mpt.alter(at);
  xlate.forget();
  return status;
}

/** Takes the PSN of the image over, which is the first one. */
function setBackPsn(c: CommandEngine, status: number): number {
  const { i32 } = c.core.bytes;
  const q = status === CMD_STATUS.badQpState ? c.core.queuePair(c.modifier & 0xff_ffff, c) : -1;
  if (q >= 0) i32[q + QPC_DW.nextPsn] = swap32(i32[(c.inbox >> 2) + QPC_DW.nextPsn] as number);
  return status;
}

/** Says so when a query has succeeded, and writes nothing. */
class SilentQueries extends CommandEngine {
  readonly #turn = new Every(5);
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    if (this.outboxBytes > 0 && this.#turn.hit()) this.outboxBytes = 0;
    return status;
  }
}

/** Shows a status while a command is being carried out. */
class EarlyStatus extends CommandEngine {
  override writeRegister(index: number, value: number): void {
    super.writeRegister(index, value);
    const last = this.registers[OPCODE_REGISTER] as number;
    if (index === OPCODE_REGISTER && (last & HCR_GO) !== 0)
      this.registers[OPCODE_REGISTER] = last | (CMD_STATUS.internal << HCR_STATUS_SHIFT);
  }
}

/** Says that completion-queue contexts are larger than they are. */
class LargeContexts extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    if (this.opcode === CMD.queryDevLim) this.core.bytes.u8[this.outbox + DEV_LIM_FIELD.cqcBytes[0] + 1] = 128;
    return status;
  }
}

/** Takes the path MTU of every queue pair for twice as long, up to the longest that there is. */
class LongPackets extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const { u8 } = this.core.bytes;
    const at = this.inbox + QPC_FIELD.mtuMsgmax[0];
    const sizes = u8[at] as number;
    const isLongest = sizes >> MTU_SHIFT >= HANGU_LIMITS.maxMtuCode;
    if (TO_RTS.includes(this.opcode) && this.step === 0 && !isLongest) u8[at] = sizes + MTU_STEP;
    return super.execute(handler);
  }
}

export const COMMAND_FAULTS = faultsOf(COMMAND_ROWS, {
  mtu_doubled: planted({ commands: LongPackets }),
  read_mtu_doubled: planted({ commands: LongPackets }),
  query_unanswered: planted({ commands: SilentQueries }),
  status_early: planted({ commands: EarlyStatus }),
  limits_context_size: planted({ commands: LargeContexts }),
  refusal_ok: planted({ commands: afterwards((_, s) => (s === CMD_STATUS.badQpState ? CMD_STATUS.ok : s)) }),
  refusal_status: planted({ commands: afterwards(() => CMD_STATUS.badParam) }),
  refused_query: planted({ commands: afterwards(answerAnyway) }),
  refused_region: planted({ commands: afterwards(replaceDomain) }),
  refused_transition: planted({ commands: afterwards(setBackPsn) }),
  opcode_cut: planted({ commands: CutOpcode }),
  go_ignored: planted({ commands: GoIgnored }),
});
