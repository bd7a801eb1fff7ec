/**
 * The verbs objects with what the HanGu provider needs besides: keys, ring geometry and positions.
 */

import { Cq, Qp, Srq } from '../../../env/verbs/verbsObjects.ts';
import type { Pd, QpInit } from '../../../env/verbs/verbsObjects.ts';
import { NO_CELLS } from './rings/requestIds.ts';

/** Where a ring lies in the window of its completion queue, in bytes, and how many entries it has. */
export interface CqPlace {
  readonly start: number;
  readonly entries: number;
}

export class HanguCq extends Cq {
  /** Protection domain of the process that the ring is registered in. */
  readonly pdn: number;
  key: number;
  /** Index of its first completion, as the NIC counts. */
  readonly first: number;
  /** Completions taken when the NIC was last told. */
  told = 0;
  start = 0;
  /** The ring that it is to have, while it is being resized, and the number of completions before the first one there, -1 = none yet. */
  next: CqPlace | null = null;
  switchedAt = -1;
  /**
   * Page of the ring that was looked up last (-1 = none yet), lower half of its physical address, and its first dword
   * in the byte store.
   */
  ringPage = -1;
  ringPhysLo = 0;
  storeDword = 0;

  constructor(host: number, process: number, cqn: number, entries: number, pdn: number, key: number, first = 0) {
    super(host, process, cqn, entries);
    this.first = first;
    this.pdn = pdn;
    this.key = key;
  }
}

/**
 * Rings are counted in slots of 2^`strideLog` bytes. A request's slot is the low bits of its running number.
 */
export class HanguQp extends Qp {
  declare readonly srq: HanguSrq | null;
  readonly sqStrideLog: number;
  readonly rqStrideLog: number;
  /** Slots, powers of two. */
  readonly sqSlots: number;
  readonly rqSlots: number;
  readonly sqKey: number;
  readonly rqKey: number;
  /** First cells of its queues in the provider's table of request ids; `NO_CELLS` before the first posting. */
  sqCells: number = NO_CELLS;
  rqCells: number = NO_CELLS;
  #lists: Set<number> | null = null;

  constructor(pd: Pd, qpn: number, init: QpInit, rings: RingPlan, sqKey: number, rqKey: number) {
    super(pd, qpn, init);
    this.sqStrideLog = rings.sqStrideLog;
    this.rqStrideLog = rings.rqStrideLog;
    this.sqSlots = rings.sqSlots;
    this.rqSlots = rings.rqSlots;
    this.maxSendWr = rings.sqSlots;
    this.maxRecvWr = this.srq === null ? rings.rqSlots - 1 : this.srq.maxWr;
    this.sqKey = sqKey;
    this.rqKey = rqKey;
  }

  /** Pages that hold, or held, page lists of its requests. */
  get lists(): Set<number> {
    this.#lists ??= new Set();
    return this.#lists;
  }
}

/** Geometry of the two rings of a queue pair. */
export interface RingPlan {
  readonly sqStrideLog: number;
  readonly rqStrideLog: number;
  readonly sqSlots: number;
  readonly rqSlots: number;
}

/** Geometry of the ring of a shared receive queue: slots, a power of two, of 2^`strideLog` bytes. */
export interface SrqPlan {
  readonly slots: number;
  readonly strideLog: number;
}

/** Shared receive queue: a linked list, in which there is always a slot to which the receive posted last leads. */
export class HanguSrq extends Srq {
  readonly rqSlots: number;
  readonly rqStrideLog: number;
  readonly key: number;
  /** First cell in the provider's table of request ids; `NO_CELLS` before the first posting. */
  rqCells: number = NO_CELLS;
  /** Slot that the next receive is written to. */
  next = 0;
  /** Slots that are free besides, in the order in which they came back. */
  readonly #free: Uint16Array;
  #first = 0;
  #count: number;

  constructor(pd: Pd, srqn: number, plan: SrqPlan, maxSge: number, key: number) {
    super(pd, srqn, plan.slots - 1, maxSge);
    this.rqSlots = plan.slots;
    this.rqStrideLog = plan.strideLog;
    this.key = key;
    this.#free = Uint16Array.from({ length: plan.slots }, (_, i) => i + 1);
    this.#count = plan.slots - 1;
  }

  /** Takes the slot for the next receive. @returns it */
  advance(): number {
    const slot = this.next;
    this.next = this.#free[this.#first] as number;
    this.#first = (this.#first + 1) % this.rqSlots;
    this.#count--;
    this.posted++;
    return slot;
  }

  /** A receive has come back. */
  putBack(slot: number): void {
    this.#free[(this.#first + this.#count) % this.rqSlots] = slot;
    this.#count++;
    this.freed++;
  }
}
