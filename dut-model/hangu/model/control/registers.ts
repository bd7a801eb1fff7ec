/**
 * Decoding of host accesses: command register, software reset, INIT_DONE, MSI-X table, doorbell pages
 * (hangu-interface.md 3.1, hangu-rtl-facts.md 2.1, 2.2). Only full dwords take effect.
 */
import { BAR, DOORBELL, DOORBELL_PAGE, REG } from '../../layout/addressMap.ts';
import { HCR_DWORDS } from '../../layout/commands.ts';
import { ARM_DB } from '../../layout/queues.ts';
import type { Tlp } from '../../../nic.ts';
import type { CommandEngine } from './commandEngine.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import type { HanguCore } from '../core.ts';
import type { EventUnit } from '../queues/eventUnit.ts';

/** What the registers set off. */
export interface RegisterActions {
  sendDoorbell(dw0: number, dw1: number): void;
  softReset(): void;
}

const MSIX_BYTES = 64 * 16;

export class Registers {
  protected readonly core: HanguCore;
  readonly #commands: CommandEngine;
  readonly #completions: CompletionUnit;
  readonly #events: EventUnit;
  readonly #actions: RegisterActions;

  constructor(
    core: HanguCore,
    commands: CommandEngine,
    completions: CompletionUnit,
    events: EventUnit,
    actions: RegisterActions,
  ) {
    this.core = core;
    this.#commands = commands;
    this.#completions = completions;
    this.#events = events;
    this.#actions = actions;
  }

  write(t: Tlp): void {
    if ((t.lo & 3) !== 0 || (t.length & 3) !== 0) return;
    if (t.bar === BAR.doorbell) this.#doorbell(t);
    else if (t.bar === BAR.registers) {
      for (let i = 0; i < t.length; i += 4) this.#register(t.lo + i, this.#dword(t.data + i));
    }
  }

  /** Value of the dword at `offset` of a BAR; unknown registers read as 0. */
  read(bar: number, offset: number): number {
    if (bar !== BAR.registers) return 0;
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

  #doorbell(t: Tlp): void {
    if (!this.core.running) return;
    const offset = this.placeOf(t.lo);
    const dw0 = this.#dword(t.data);
    if (offset === DOORBELL.send) {
      if (t.length === 8) this.#actions.sendDoorbell(dw0, this.#dword(t.data + 4));
    } else if (offset === DOORBELL.armCq) this.#armCq(dw0);
    else if (offset === DOORBELL.armEq) this.#events.arm(dw0 & ARM_DB.eqnMask, dw0 >>> ARM_DB.consumerShift);
  }

  /** Place of a write within its page; overridable for planting. */
  protected placeOf(offset: number): number {
    return offset & (DOORBELL_PAGE - 1);
  }

  #armCq(dw0: number): void {
    const consumer = (dw0 >>> ARM_DB.cqConsumerShift) & ARM_DB.cqConsumerMask;
    this.#completions.arm(dw0 & ARM_DB.cqnMask, (dw0 & ARM_DB.solicitedOnly) !== 0, consumer);
  }

  #dword(at: number): number {
    const m = this.core.bytes.u8;
    return (
      (m[at] as number) | ((m[at + 1] as number) << 8) | ((m[at + 2] as number) << 16) | ((m[at + 3] as number) << 24)
    );
  }
}
