/**
 * Command engine: one command at a time, from go to status (hangu-interface.md 4, hangu-rtl-facts.md 2.3). Fetches the
 * inbox with one DMA read, checks what can be checked, executes, writes the outbox, then sets status and clears go in
 * the same cycle. A command that fails changes nothing.
 */
import {
  CMD,
  CMD_STATUS,
  HCR_DWORDS,
  HCR_GO,
  HCR_OPCODE_MASK,
  HCR_OPMOD_SHIFT,
  HCR_STATUS_SHIFT,
  INBOX_BYTES,
} from '../../layout/commands.ts';
import { AGAIN } from './commandContext.ts';
import type { CommandContext, CommandHandler } from './commandContext.ts';
import { COMMAND_HANDLERS } from './handlers.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import type { HanguCore } from '../core.ts';
import type { DmaClient } from '../../../roce/dmaEngine.ts';
import type { EventUnit } from '../queues/eventUnit.ts';
import type { SharedReceives } from '../queues/sharedReceives.ts';
import type { ReceiveFlush } from '../transport/receiveFlush.ts';
import type { SendCompletion } from '../transport/sendCompletion.ts';

/** Bytes of a command's inbox, or how they follow from its count. */
type InboxLength = number | ((modifier: number) => number);

/** Commands with an inbox. */
const INBOX_LENGTH: Readonly<Record<number, InboxLength>> = {
  [CMD.initHca]: INBOX_BYTES.initHca,
  [CMD.mapIcm]: (n) => 32 * Math.ceil((n & 0xff) / 2),
  [CMD.sw2hwMpt]: INBOX_BYTES.mpt,
  [CMD.writeMtt]: (n) => 32 + 32 * Math.ceil((n & 0xff) / 4),
  [CMD.sw2hwCq]: INBOX_BYTES.cq,
  [CMD.sw2hwEq]: INBOX_BYTES.eq,
  [CMD.resizeCq]: INBOX_BYTES.resizeCq,
  [CMD.rst2init]: INBOX_BYTES.qp,
  [CMD.init2init]: INBOX_BYTES.qp,
  [CMD.init2rtr]: INBOX_BYTES.qp,
  [CMD.rtr2rts]: INBOX_BYTES.qp,
  [CMD.rts2rts]: INBOX_BYTES.qp,
  [CMD.rts2sqd]: INBOX_BYTES.qp,
  [CMD.sqd2rts]: INBOX_BYTES.qp,
  [CMD.sqd2sqd]: INBOX_BYTES.qp,
  [CMD.sqerr2rts]: INBOX_BYTES.qp,
  [CMD.sw2hwSrq]: INBOX_BYTES.srq,
};
/** The MODIFY_QP family, and the operation modifiers that it knows (hangu-rtl-facts.md 2.3). */
const MODIFIES_QP: readonly number[] = [
  CMD.rst2init,
  CMD.init2init,
  CMD.init2rtr,
  CMD.rtr2rts,
  CMD.rts2rts,
  CMD.rts2sqd,
  CMD.sqd2rts,
  CMD.sqd2sqd,
  CMD.sqerr2rts,
  CMD.twoErr,
  CMD.err2rst,
];
const MODIFY_QP_MODIFIERS: readonly number[] = [0, 2, 3];
const NEEDS_OUTBOX: readonly number[] = [CMD.queryDevLim, CMD.queryAdapter, CMD.queryQp, CMD.querySrq];
/** What the NIC takes before INIT_HCA. */
const ALWAYS: readonly number[] = [CMD.initHca, CMD.queryDevLim, CMD.queryAdapter, CMD.nop];

/** Commands after which software may use memory for something else: the NIC has done with it before they end. */
const RELEASES: readonly number[] = [CMD.hw2swMpt, CMD.err2rst, CMD.resizeCq, CMD.hw2swSrq, CMD.unmapIcm, CMD.closeHca];

/** A command that this NIC implements. */
interface Command {
  readonly handler: CommandHandler;
  readonly inbox: InboxLength;
  readonly needsOutbox: boolean;
  readonly always: boolean;
  readonly modifiesQp: boolean;
  readonly releases: boolean;
}

/** By opcode; undefined for those that do not exist. An array, as sparse numbers would be looked up by hash. */
const COMMANDS: readonly (Command | undefined)[] = Array.from({ length: HCR_OPCODE_MASK + 1 }, (_, opcode) => {
  const handler = COMMAND_HANDLERS[opcode];
  if (handler === undefined) return undefined;
  const inbox = INBOX_LENGTH[opcode] ?? 0;
  const sets = [NEEDS_OUTBOX, ALWAYS, MODIFIES_QP, RELEASES];
  const [needsOutbox, always, modifiesQp, releases] = sets.map((set) => set.includes(opcode));
  return { handler, inbox, needsOutbox, always, modifiesQp, releases } as Command;
});
const MAILBOX = 16384;
/** Answers that the engine waits for. */
const ANSWER = { inbox: 0, fence: 1 } as const;

export class CommandEngine implements CommandContext, DmaClient {
  readonly core: HanguCore;
  readonly completions: CompletionUnit;
  readonly events: EventUnit;
  readonly sendSide: SendCompletion;
  readonly receiveSide: ReceiveFlush;
  /** Set once after construction. */
  shared!: SharedReceives;
  inHi = 0;
  inLo = 0;
  outHi = 0;
  outLo = 0;
  modifier = 0;
  opModifier = 0;
  opcode = 0;
  outboxBytes = 0;
  step = 0;
  held = 0;
  readonly inbox: number;
  readonly outbox: number;
  /** The seven registers as last written or answered. */
  readonly registers = new Int32Array(HCR_DWORDS);
  #busy = false;

  constructor(
    core: HanguCore,
    completions: CompletionUnit,
    events: EventUnit,
    sendSide: SendCompletion,
    receiveSide: ReceiveFlush,
  ) {
    this.core = core;
    this.completions = completions;
    this.events = events;
    this.sendSide = sendSide;
    this.receiveSide = receiveSide;
    this.inbox = core.bytes.alloc(MAILBOX, 64);
    this.outbox = core.bytes.alloc(256, 64);
  }

  reset(): void {
    this.registers.fill(0);
    this.#busy = false;
  }

  /** A dword of the command register was written. The last one, with go set, starts the command. */
  writeRegister(index: number, value: number): void {
    this.registers[index] = value;
    if (index === HCR_DWORDS - 1 && (value & HCR_GO) !== 0 && !this.#busy) this.#start();
  }

  dmaDone(answer: number, ok: boolean): void {
    if (answer === ANSWER.fence) this.#finish(CMD_STATUS.ok);
    else if (ok) this.resume();
    else this.#finish(CMD_STATUS.internal);
  }

  resume(): void {
    if (!this.#busy) return;
    const { handler, releases } = COMMANDS[this.opcode] as Command;
    const status = this.execute(handler);
    if (status === AGAIN) return;
    if (status === CMD_STATUS.ok && releases) this.core.fence(this, ANSWER.fence);
    else this.#finish(status);
  }

  /** Runs a handler; overridable for planting. */
  protected execute(handler: CommandHandler): number {
    return handler(this);
  }

  #start(): void {
    const r = this.registers;
    const last = r[6] as number;
    this.inHi = r[0] as number;
    this.inLo = r[1] as number;
    this.modifier = r[2] as number;
    this.outHi = r[3] as number;
    this.outLo = r[4] as number;
    this.opcode = last & HCR_OPCODE_MASK;
    this.opModifier = (last >>> HCR_OPMOD_SHIFT) & 0xff;
    this.outboxBytes = 0;
    this.step = 0;
    this.#busy = true;
    const command = COMMANDS[this.opcode];
    if (command === undefined) {
      this.#finish(CMD_STATUS.badOp);
      return;
    }
    const n = typeof command.inbox === 'number' ? command.inbox : command.inbox(this.modifier);
    const status = this.#decode(command, n);
    if (status !== CMD_STATUS.ok) {
      this.#finish(status);
      return;
    }
    this.core.dma.delay = this.core.cycles(this.core.config.commandCycles);
    if (n > 0) this.core.dma.read(this.inHi, this.inLo, n, this.inbox, this, ANSWER.inbox);
    else this.resume();
    this.core.dma.delay = 0;
  }

  /** Errors that are found before anything is fetched. */
  #decode(command: Command, inboxLength: number): number {
    if (!command.always && !this.core.running) return CMD_STATUS.badSysState;
    if (inboxLength > 0 && this.inHi === 0 && this.inLo === 0) return CMD_STATUS.badParam;
    if (command.needsOutbox && this.outHi === 0 && this.outLo === 0) return CMD_STATUS.badParam;
    if (command.modifiesQp && !MODIFY_QP_MODIFIERS.includes(this.opModifier)) return CMD_STATUS.badParam;
    return CMD_STATUS.ok;
  }

  /** Writes the outbox, then status and go together. */
  #finish(status: number): void {
    const core = this.core;
    if (status === CMD_STATUS.ok && this.outboxBytes > 0) {
      const block = core.dma.acquireBlock();
      const at = core.dma.blockOffset(block);
      core.bytes.copy(at, this.outbox, this.outboxBytes);
      core.dma.write(this.outHi, this.outLo, this.outboxBytes, at, block);
      core.dma.releaseBlock(block);
    }
    this.#busy = false;
    const r = this.registers;
    // out_param reads back as 0 after completion (hangu-rtl-facts.md 2.1).
    r[3] = 0;
    r[4] = 0;
    r[6] = ((r[6] as number) & ~HCR_GO & 0x00ff_ffff) | (status << HCR_STATUS_SHIFT);
  }
}
