/**
 * The HCR: one command at a time through seven registers (hangu-interface.md 4.1, 4.2).
 */

import { BAR, INBOX_LO, REG } from '../../layout/addressMap.ts';
import {
  CMD_NAME,
  CMD_STATUS_NAME,
  HCR_DWORDS,
  HCR_GO,
  HCR_OPCODE_MASK,
  HCR_OPMOD_SHIFT,
  HCR_POLL_TOKEN,
  HCR_STATUS_SHIFT,
  PAGE_BYTES,
} from '../../layout/commands.ts';
import type { Waitable, Waiter } from '../../../../uvm/kernel/process.ts';
import type { EventHandler } from '../../../../uvm/kernel/scheduler.ts';
import type { BarReader } from '../../../../agents/pcie/barRead.ts';
import type { CommandLog, ProviderHost } from '../../../../env/providers/provider.ts';
import { commandObject } from './commandObject.ts';
import { formatTime } from '../../../../uvm/kernel/time.ts';
import { hex, hexDigits } from '../../../../uvm/report/hexTexts.ts';
import { logTime } from '../../../../uvm/report/reportMessage.ts';

/** How the end of a command is waited for. Times in ps. */
export interface HcrTiming {
  /** Between polls of the go bit, for the first `PATIENCE` of them; each so many more double it. */
  readonly pollInterval: number;
  /** Polls that still see the go bit before the command is given up. */
  readonly pollLimit: number;
}

/** Result of a command: a status byte, or `HCR_NO_ANSWER`. */
export const HCR_NO_ANSWER = -1;
/** Result of a command whose NIC was reset before it ended. */
const HCR_ABANDONED = -2;
/** What a processor sees when a read of a device fails: no register holds that, for some bits are always 0. */
const NO_VALUE = 0xffff_ffff;
export const STATUS_OFFSET = REG.hcr + 4 * (HCR_DWORDS - 1);
/** Reads of the go bit in a row that come to nothing before the command is given up: the NIC does not live. */
const FAILED_READS = 4;
/**
 * Polls after which a command is no ordinary one: reads of host memory that the NIC waits for are not answered, of which it gives
 * up one after the other.
 */
const PATIENCE = 4096;
/** Commands that a list has room for. */
const LIST_LENGTH = 16;

/** Start the next command; wait for the next poll; poll. */
const STEP = { start: 0, wait: 1, poll: 2 } as const;
type Step = (typeof STEP)[keyof typeof STEP];

/** A command of the list. */
class Command {
  opcode = 0;
  opModifier = 0;
  modifier = 0;
  inHi = 0;
  inLo = 0;
  outLo = 0;
  /** Bytes of its image, 0 = it has no inbox; byte-store offset of the image. */
  size = 0;
  readonly image: number;

  constructor(image: number) {
    this.image = image;
  }
}

/**
 * Carries out short lists of commands; the process that wants them sleeps meanwhile, because bring-up is made of
 * little else. Whoever runs a list sees to it that no other one runs at the same time, and goes on like this:
 *
 *   hcr.add(...); hcr.add(...);
 *   hcr.go();
 *   yield hcr;
 *
 * The process goes on when all have succeeded, or after one that something is wrong with (`trouble`).
 */
export class Hcr implements EventHandler, Waitable, BarReader {
  /** Commands carried out. */
  commands = 0;
  /** Of the command that ended last: its status byte, or `HCR_NO_ANSWER`; its opcode and modifier. */
  status = 0;
  opcode = 0;
  modifier = 0;
  opModifier = 0;
  /** True when that command showed a status while its go bit was still set. */
  earlyStatus = false;
  /** Told of each command, as it begins and as it ends. */
  readonly logs: CommandLog[] = [];
  readonly #host: ProviderHost;
  readonly #timing: HcrTiming;
  readonly #dwords: number[] = new Array<number>(HCR_DWORDS).fill(0);
  /** Wait before the first poll, ps, by opcode: that after which a command of the kind was done the last time, or 0. */
  readonly #usual = new Float64Array(HCR_OPCODE_MASK + 1);
  readonly #list: readonly Command[];
  #count = 0;
  #next = 0;
  /** What the next event does. */
  #step: Step = STEP.poll;
  #polls = 0;
  #waited = 0;
  /** Reads in a row that came to nothing. */
  #failed = 0;
  #startedAt = 0;
  /** What the latest poll has read. */
  #read = 0;
  /** Upper half of the bus address of both boxes. */
  readonly #boxHi: number;
  /** Events and reads with another number are stale. */
  #token = 0;
  #waiter: Waiter | null = null;

  constructor(host: ProviderHost, timing: HcrTiming) {
    this.#host = host;
    this.#timing = timing;
    this.#boxHi = host.map.busHi?.(0) ?? 0;
    const images = host.bytes.alloc(LIST_LENGTH * PAGE_BYTES, 16);
    this.#list = Array.from({ length: LIST_LENGTH }, (_, i) => new Command(images + i * PAGE_BYTES));
  }

  /** True when something is wrong with the command that ended last. */
  get trouble(): boolean {
    return this.status !== 0 || this.earlyStatus;
  }

  /** Commands of the list that have not been started. */
  get left(): number {
    return this.#count - this.#next;
  }

  get full(): boolean {
    return this.#count === LIST_LENGTH;
  }

  /** Byte-store offset where the image of the next command to be added must be. */
  get image(): number {
    return (this.#list[this.#count] as Command).image;
  }

  /** Adds a command. @param size bytes of its image; 0 = it has none, and (inHi, inLo) is its input */
  add(opcode: number, opModifier: number, modifier: number, size: number, inHi = 0, inLo = 0, outLo = 0): void {
    const c = this.#list[this.#count++] as Command;
    c.opcode = opcode;
    c.opModifier = opModifier;
    c.modifier = modifier;
    c.size = size;
    c.inHi = inHi;
    c.inLo = size > 0 ? INBOX_LO : inLo;
    c.outLo = outLo;
  }

  /** Starts what is left of the list. */
  go(): void {
    this.#start();
  }

  /** The NIC was reset: the command under way, if any, is over. */
  abandon(): void {
    if (this.#waiter === null) return;
    this.#token++;
    this.status = HCR_ABANDONED;
    this.#tell('end');
    this.#wake();
  }

  /** Empties the list. */
  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  /** Writes the registers of a command without input, and not the bit that starts it. */
  prepare(opcode: number, opModifier: number, modifier: number): void {
    const word = (opModifier << HCR_OPMOD_SHIFT) | (opcode & HCR_OPCODE_MASK);
    this.#host.bus.barWriteEach(BAR.registers, REG.hcr, [0, 0, modifier, 0, 0, HCR_POLL_TOKEN, word]);
  }

  fire(token: number): void {
    if (token !== this.#token) return;
    if (this.#step === STEP.start) this.#start();
    else if (this.#step === STEP.wait) this.#poll(this.#timing.pollInterval * 2 ** Math.floor(this.#polls / PATIENCE));
    else this.#host.bus.barReadTo(BAR.registers, STATUS_OFFSET, this, token);
  }

  barRead(token: number, value: number): void {
    if (token !== this.#token) return;
    const ended = this.#ended(value);
    if (ended) this.#tell('end');
    if (ended && (this.left === 0 || this.trouble)) {
      this.#wake();
      return;
    }
    // Later in this instant, as a process would do it that this answer wakes.
    this.#step = ended ? STEP.start : STEP.wait;
    this.#host.scheduler.schedule(0, this, token);
  }

  park(waiter: Waiter): void {
    this.#waiter = waiter;
  }

  unpark(_waiter: Waiter): void {
    this.#token++;
    this.#waiter = null;
  }

  describe(): string {
    return `end of ${this.#name}`;
  }

  describeWait(): string {
    return `host ${this.#host.host} waits for the ${this.describe()} since ${logTime(this.#startedAt)}`;
  }

  /** The command that began last, with what it is about. */
  beginText(): string {
    return `${this.#name} of ${commandObject(this.opcode, this.modifier, this.opModifier)}`;
  }

  /** The command that ended last, with what it was given and its status. */
  endText(): string {
    if (this.status === HCR_ABANDONED)
      return `${this.beginText()}, modifier ${hex(this.modifier)}, ended by a reset of the NIC`;
    const status = this.status === HCR_NO_ANSWER ? 'NO ANSWER' : (CMD_STATUS_NAME[this.status] ?? this.status);
    return `${this.beginText()}, modifier ${hex(this.modifier)}, status ${status}`;
  }

  /** That the command which ended last was given up: for how long it was waited, and which register to look at. */
  unansweredText(): string {
    const waited = formatTime(this.#host.scheduler.now - this.#startedAt);
    const modifiers = `modifier ${hex(this.modifier)}, opcode modifier ${hex(this.opModifier)}`;
    const register = `the dword at ${hex(STATUS_OFFSET)} of BAR ${BAR.registers}, which reads ${hexDigits(this.#read, 8)}`;
    const bit = `bit ${Math.log2(HCR_GO)} (go) of ${register}, is still set`;
    const why = this.#failed < FAILED_READS ? bit : `the last ${this.#failed} reads of ${register}, have failed`;
    const command = `host ${this.#host.host}: ${this.#name} (${modifiers})`;
    return `${command} has no answer after ${waited} and ${this.#polls} polls: ${why}`;
  }

  get #name(): string {
    return CMD_NAME[this.opcode] ?? `command ${hex(this.opcode)}`;
  }

  #tell(moment: 'begin' | 'end'): void {
    for (const log of this.logs) log(moment, moment === 'begin' ? () => this.beginText() : () => this.endText());
  }

  /** Writes the image, then the registers, the go bit last. */
  #start(): void {
    const c = this.#list[this.#next++] as Command;
    this.commands++;
    this.earlyStatus = false;
    this.opcode = c.opcode;
    this.modifier = c.modifier;
    this.opModifier = c.opModifier;
    this.#startedAt = this.#host.scheduler.now;
    this.#polls = 0;
    this.#waited = 0;
    this.#failed = 0;
    this.#tell('begin');
    if (c.size > 0) this.#host.memory.write(0, INBOX_LO, c.size, c.image);
    const w = this.#dwords;
    w[0] = c.size > 0 ? this.#boxHi : c.inHi;
    w[1] = c.inLo;
    w[2] = c.modifier;
    w[3] = c.outLo === 0 ? 0 : this.#boxHi;
    w[4] = c.outLo;
    w[5] = HCR_POLL_TOKEN;
    w[6] = HCR_GO | (c.opModifier << HCR_OPMOD_SHIFT) | (c.opcode & HCR_OPCODE_MASK);
    this.#host.bus.barWriteEach(BAR.registers, REG.hcr, w);
    this.#poll(this.#usual[c.opcode] || this.#timing.pollInterval);
  }

  #poll(wait: number): void {
    this.#step = STEP.poll;
    this.#waited += wait;
    this.#host.scheduler.schedule(wait, this, this.#token);
  }

  /** True when the command is over, by what a poll has read; `status` says how. */
  #ended(value: number): boolean {
    const status = value >>> HCR_STATUS_SHIFT;
    this.#read = value;
    this.status = status;
    if ((value & HCR_GO) === 0) return true;
    // A read that has failed says nothing of a status.
    if (status !== 0 && value !== NO_VALUE) this.earlyStatus = true;
    this.status = HCR_NO_ANSWER;
    this.#failed = value === NO_VALUE ? this.#failed + 1 : 0;
    if (++this.#polls >= this.#timing.pollLimit || this.#failed >= FAILED_READS) return true;
    this.#usual[this.opcode] = this.#polls < PATIENCE ? this.#waited + this.#timing.pollInterval : 0;
    return false;
  }

  #wake(): void {
    const waiter = this.#waiter;
    this.#waiter = null;
    waiter?.wake(undefined, this);
  }
}
