/**
 * Doorbells (hangu-interface.md 7, hangu-rtl-facts.md 2.2). The array is reused: the bus copies what it is given.
 */

import { DOORBELL, DOORBELL_PAGE } from '../../layout/addressMap.ts';
import { ARM_DB, SEND_DB, WQE_UNIT } from '../../layout/queues.ts';
import type { HostBus } from '../../../../env/providers/hostBus.ts';

export class Doorbells {
  readonly #bus: HostBus;
  readonly #bar: number;
  readonly #one: [number] = [0];

  /** @param bar that doorbells are in */
  constructor(bus: HostBus, bar: number) {
    this.#bus = bus;
    this.#bar = bar;
  }

  /** Starts the linked list of send requests whose first entry is at byte `offset` of the ring. */
  send(process: number, qpn: number, offset: number, units: number, opcode: number, fence: boolean): void {
    const first = ((offset / WQE_UNIT) << SEND_DB.offsetShift) | (fence ? SEND_DB.fence : 0) | opcode;
    const second = (qpn << SEND_DB.qpnShift) | units;
    this.#bus.barWrite64(this.#bar, process * DOORBELL_PAGE + DOORBELL.send, first, second);
  }

  /** @param posted receives of a shared queue so far, modulo 2^16 */
  shared(process: number, srqn: number, posted: number): void {
    this.#bus.barWrite64(this.#bar, process * DOORBELL_PAGE + DOORBELL.srq, srqn, posted);
  }

  /** @param consumed completions taken from the queue so far */
  armCq(process: number, cqn: number, solicitedOnly: boolean, consumed: number): void {
    const index = (consumed & ARM_DB.cqConsumerMask) << ARM_DB.cqConsumerShift;
    this.#one[0] = (solicitedOnly ? ARM_DB.solicitedOnly : 0) | index | cqn;
    this.#bus.barWrite(this.#bar, process * DOORBELL_PAGE + DOORBELL.armCq, this.#one);
  }

  /** @param consumed completions taken from the queue so far */
  cqIndex(process: number, cqn: number, consumed: number): void {
    this.#one[0] = ((consumed & ARM_DB.cqConsumerMask) << ARM_DB.cqConsumerShift) | cqn;
    this.#bus.barWrite(this.#bar, process * DOORBELL_PAGE + DOORBELL.cqIndex, this.#one);
  }

  /** The kernel's page is that of process 0. */
  armEq(eqn: number, consumer: number): void {
    this.#one[0] = ((consumer & 0xff_ffff) << ARM_DB.consumerShift) | eqn;
    this.#bus.barWrite(this.#bar, DOORBELL.armEq, this.#one);
  }
}
