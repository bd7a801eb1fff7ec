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

/** A command as it stands in the registers. */
export interface HcrCommand {
  readonly opcode: number;
  readonly inHi?: number;
  readonly inLo?: number;
  readonly modifier?: number;
  readonly outHi?: number;
  readonly outLo?: number;
  readonly opModifier?: number;
}

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

export class Hcr {
  /** Commands carried out. */
  commands = 0;
  /** True when the command that ran last showed a status while its go bit was still set. */
  earlyStatus = false;
  readonly #bus: HostBus;
  readonly #timing: HcrTiming;
  readonly #dwords: number[] = new Array<number>(HCR_DWORDS).fill(0);
  /** Wait before the first poll, ps, by opcode. */
  readonly #usual: Record<number, number> = {};

  constructor(bus: HostBus, timing: HcrTiming) {
    this.#bus = bus;
    this.#timing = timing;
  }

  /** Runs a command to its end. The caller sees to it that no other one runs meanwhile. */
  *run(command: HcrCommand): Proc<number> {
    this.commands++;
    this.earlyStatus = false;
    const w = this.#dwords;
    w[0] = command.inHi ?? 0;
    w[1] = command.inLo ?? 0;
    w[2] = command.modifier ?? 0;
    w[3] = command.outHi ?? 0;
    w[4] = command.outLo ?? 0;
    w[5] = HCR_POLL_TOKEN;
    w[6] = HCR_GO | ((command.opModifier ?? 0) << HCR_OPMOD_SHIFT) | (command.opcode & HCR_OPCODE_MASK);
    this.#bus.barWriteEach(BAR.registers, REG.hcr, w);
    return yield* this.#poll(command.opcode);
  }

  /** The first poll comes when a command of this kind was done the last time; further ones at the interval. */
  *#poll(opcode: number): Proc<number> {
    const { pollInterval, pollLimit } = this.#timing;
    let waited = this.#usual[opcode] ?? pollInterval;
    yield waited;
    for (let polls = 0; polls < pollLimit; polls++) {
      if (polls > 0) {
        yield pollInterval;
        waited += pollInterval;
        this.#usual[opcode] = waited;
      }
      const value = yield* this.#bus.barRead32(BAR.registers, STATUS_OFFSET);
      const status = value >>> HCR_STATUS_SHIFT;
      if ((value & HCR_GO) === 0) return status;
      if (status !== 0) this.earlyStatus = true;
    }
    return HCR_NO_ANSWER;
  }
}
