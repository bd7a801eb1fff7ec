/** Doorbells, BAR 2: every page has them at the same places (hangu-rtl-facts.md 2.2). Reads find nothing. */
import { DOORBELL, DOORBELL_PAGE } from '../../layout/addressMap.ts';
import { ARM_DB } from '../../layout/queues.ts';
import type { PcieUpstream, Tlp } from '../../../nic.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import type { HanguCore } from '../core.ts';
import type { EventUnit } from '../queues/eventUnit.ts';
import { answerDword, type BarHandler, dwordAt } from './bars.ts';
import type { RegisterActions } from './registers.ts';

export class DoorbellPages implements BarHandler {
  protected readonly core: HanguCore;
  readonly #completions: CompletionUnit;
  readonly #events: EventUnit;
  readonly #actions: RegisterActions;

  constructor(core: HanguCore, completions: CompletionUnit, events: EventUnit, actions: RegisterActions) {
    this.core = core;
    this.#completions = completions;
    this.#events = events;
    this.#actions = actions;
  }

  write(t: Tlp): void {
    if ((t.lo & 3) !== 0 || (t.length & 3) !== 0 || !this.core.running) return;
    const offset = this.placeOf(t.lo);
    const dw0 = this.#dword(t.data);
    if (offset === DOORBELL.send) {
      if (t.length === 8) this.#actions.sendDoorbell(dw0, this.#dword(t.data + 4));
    } else if (offset === DOORBELL.srq) {
      if (t.length === 8) this.#actions.receiveDoorbell(dw0, this.#dword(t.data + 4));
    } else if (offset === DOORBELL.armCq) this.#armCq(dw0);
    else if (offset === DOORBELL.cqIndex) this.#cqIndex(dw0);
    else if (offset === DOORBELL.armEq) this.#events.arm(dw0 & ARM_DB.eqnMask, dw0 >>> ARM_DB.consumerShift);
  }

  read(t: Tlp, host: PcieUpstream): void {
    answerDword(this.core.bytes, t, host, 0);
  }

  /** Place of a write within its page; overridable for planting. */
  protected placeOf(offset: number): number {
    return offset & (DOORBELL_PAGE - 1);
  }

  #armCq(dw0: number): void {
    const consumer = (dw0 >>> ARM_DB.cqConsumerShift) & ARM_DB.cqConsumerMask;
    this.#completions.arm(dw0 & ARM_DB.cqnMask, (dw0 & ARM_DB.solicitedOnly) !== 0, consumer);
  }

  #cqIndex(dw0: number): void {
    const consumer = (dw0 >>> ARM_DB.cqConsumerShift) & ARM_DB.cqConsumerMask;
    if (this.core.cqIndices) this.#completions.taken(dw0 & ARM_DB.cqnMask, consumer);
  }

  #dword(at: number): number {
    return dwordAt(this.core.bytes.u8, at);
  }
}
