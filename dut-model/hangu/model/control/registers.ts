/**
 * Registers, BAR 0: command register, software reset, INIT_DONE, MSI-X table (hangu-interface.md 3.1, hangu-rtl-facts.md
 * 2.1). Only full dwords take effect.
 */
import { REG } from '../../layout/addressMap.ts';
import { HCR_DWORDS } from '../../layout/commands.ts';
import type { PcieUpstream, Tlp } from '../../../nic.ts';
import { answerDword, type BarHandler, dwordAt } from './bars.ts';
import type { CommandEngine } from './commandEngine.ts';
import type { HanguCore } from '../core.ts';
import type { EventUnit } from '../queues/eventUnit.ts';

/** What the registers set off. */
export interface RegisterActions {
  sendDoorbell(dw0: number, dw1: number): void;
  /** @param posted receives of a shared queue, modulo 2^16 */
  receiveDoorbell(srqn: number, posted: number): void;
  softReset(): void;
}

const MSIX_BYTES = 64 * 16;

export class Registers implements BarHandler {
  protected readonly core: HanguCore;
  readonly #commands: CommandEngine;
  readonly #events: EventUnit;
  readonly #actions: RegisterActions;

  constructor(core: HanguCore, commands: CommandEngine, events: EventUnit, actions: RegisterActions) {
    this.core = core;
    this.#commands = commands;
    this.#events = events;
    this.#actions = actions;
  }

  write(t: Tlp): void {
    if ((t.lo & 3) !== 0 || (t.length & 3) !== 0) return;
    for (let i = 0; i < t.length; i += 4) this.#register(t.lo + i, dwordAt(this.core.bytes.u8, t.data + i));
  }

  read(t: Tlp, host: PcieUpstream): void {
    answerDword(this.core.bytes, t, host, this.valueAt(t.lo));
  }

  /** Value of the dword at `offset`: unknown registers read as 0. Overridable for planting. */
  protected valueAt(offset: number): number {
    if (offset < REG.hcr + HCR_DWORDS * 4) return this.#commands.registers[offset >> 2] as number;
    if (offset === REG.initDone) return 1;
    if (offset >= REG.msix && offset < REG.msix + MSIX_BYTES)
      return this.#events.msix[(offset - REG.msix) >> 2] as number;
    return 0;
  }

  #register(offset: number, value: number): void {
    if (offset < REG.hcr + HCR_DWORDS * 4) this.#commands.writeRegister(offset >> 2, value);
    else if (offset === REG.softReset) {
      if (value === 1) this.#actions.softReset();
    } else if (offset >= REG.msix && offset < REG.msix + MSIX_BYTES)
      this.#events.writeMsix((offset - REG.msix) >> 2, value);
  }
}
