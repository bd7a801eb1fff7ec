/**
 * The HCR: one command at a time through seven registers (hangu-interface.md 4.1, 4.2).
 */

import { BAR, REG } from '../../../rdma/hangu/addressMap.ts';
import {
  HCR_DWORDS,
  HCR_GO,
  HCR_OPCODE_MASK,
  HCR_OPMOD_SHIFT,
  HCR_POLL_TOKEN,
  HCR_STATUS_SHIFT,
} from '../../../rdma/hangu/commands.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { HostBus } from '../../hostBus.ts';

/** How the end of a command is waited for. Times in ps. */
export interface HcrTiming {
  /** Between polls of the go bit. */
  readonly pollInterval: number;
  /** Polls that still see the go bit before the command is given up. */
  readonly pollLimit: number;
}

/** Result of a command: a status byte, or `HCR_NO_ANSWER`. */
export const HCR_NO_ANSWER = -1;
const STATUS_OFFSET = REG.hcr + 4 * (HCR_DWORDS - 1);

/**
 * Whoever runs a command sees to it that no other one runs meanwhile, and goes on like this:
 *
 *   hcr.start(...); yield hcr.wait;
 *   while (!hcr.ended(yield* hcr.poll())) yield hcr.wait;
 */
export class Hcr {
  /** Commands carried out. */
  commands = 0;
  /** Until the next poll, ps. The first one comes when a command of this kind was done the last time. */
  wait = 0;
  /** Of the command that ended last: its status byte, or `HCR_NO_ANSWER`. */
  status = 0;
  /** True when that command showed a status while its go bit was still set. */
  earlyStatus = false;
  readonly #bus: HostBus;
  readonly #timing: HcrTiming;
  readonly #dwords: number[] = new Array<number>(HCR_DWORDS).fill(0);
  /** Wait before the first poll, ps, by opcode. */
  readonly #usual: Record<number, number> = {};
  #opcode = 0;
  #polls = 0;
  #waited = 0;

  constructor(bus: HostBus, timing: HcrTiming) {
    this.#bus = bus;
    this.#timing = timing;
  }

  /** Writes the registers of a command, the go bit last. */
  start(opcode: number, opModifier: number, modifier: number, inHi: number, inLo: number, outLo: number): void {
    this.commands++;
    this.earlyStatus = false;
    this.#opcode = opcode;
    this.#polls = 0;
    this.wait = this.#usual[opcode] ?? this.#timing.pollInterval;
    this.#waited = this.wait;
    const w = this.#dwords;
    w[0] = inHi;
    w[1] = inLo;
    w[2] = modifier;
    w[3] = 0;
    w[4] = outLo;
    w[5] = HCR_POLL_TOKEN;
    w[6] = HCR_GO | (opModifier << HCR_OPMOD_SHIFT) | (opcode & HCR_OPCODE_MASK);
    this.#bus.barWriteEach(BAR.registers, REG.hcr, w);
  }

  /** Reads the register with the go bit. */
  poll(): Proc<number> {
    return this.#bus.barRead32(BAR.registers, STATUS_OFFSET);
  }

  /** True when the command is over, by what a poll has read; `status` says how. */
  ended(value: number): boolean {
    const status = value >>> HCR_STATUS_SHIFT;
    this.status = status;
    if ((value & HCR_GO) === 0) return true;
    if (status !== 0) this.earlyStatus = true;
    this.status = HCR_NO_ANSWER;
    if (++this.#polls >= this.#timing.pollLimit) return true;
    this.wait = this.#timing.pollInterval;
    this.#waited += this.wait;
    this.#usual[this.#opcode] = this.#waited;
    return false;
  }
}
