/**
 * The verbs objects with what the HanGu provider needs besides: keys, translation entries, ring positions.
 */

import { Cq, Mr, Qp } from '../../verbsObjects.ts';
import type { Pd, QpInit } from '../../verbsObjects.ts';
import { NO_CELLS } from './requestIds.ts';

/** A registered range of the NIC's tables: protection entry `key`, translation entries `mtt` .. `mtt + pages - 1`. */
export class Registration {
  readonly key: number;
  readonly mtt: number;
  readonly pages: number;

  constructor(key: number, mtt: number, pages: number) {
    this.key = key;
    this.mtt = mtt;
    this.pages = pages;
  }
}

export class HanguMr extends Mr {
  readonly mtt: number;
  readonly pages: number;

  constructor(pd: Pd, reg: Registration, hi: number, lo: number, length: number, access: number, zeroBased: boolean) {
    super(pd, reg.key, hi, lo, length, access, zeroBased);
    this.mtt = reg.mtt;
    this.pages = reg.pages;
  }
}

export class HanguCq extends Cq {
  /** Protection domain of the process that the ring is registered in. */
  readonly pdn: number;
  readonly key: number;
  readonly mtt: number;
  readonly pages: number;
  /**
   * Page of the ring that was looked up last (-1 = none yet), lower half of its physical address, and its first dword
   * in the byte store.
   */
  ringPage = -1;
  ringPhysLo = 0;
  storeDword = 0;

  constructor(host: number, process: number, cqn: number, entries: number, pdn: number, reg: Registration) {
    super(host, process, cqn, entries);
    this.pdn = pdn;
    this.key = reg.key;
    this.mtt = reg.mtt;
    this.pages = reg.pages;
  }
}

/**
 * Rings are counted in slots of 2^`strideLog` bytes. A request's slot is the low bits of its running number.
 */
export class HanguQp extends Qp {
  readonly sqStrideLog: number;
  readonly rqStrideLog: number;
  /** Slots, powers of two. */
  readonly sqSlots: number;
  readonly rqSlots: number;
  readonly sqKey: number;
  readonly sqMtt: number;
  readonly sqPages: number;
  readonly rqKey: number;
  readonly rqMtt: number;
  readonly rqPages: number;
  /** First cells of its queues in the provider's table of request ids; `NO_CELLS` before the first posting. */
  sqCells: number = NO_CELLS;
  rqCells: number = NO_CELLS;

  constructor(pd: Pd, qpn: number, init: QpInit, rings: RingPlan, sq: Registration, rq: Registration) {
    super(pd, qpn, init);
    this.sqStrideLog = rings.sqStrideLog;
    this.rqStrideLog = rings.rqStrideLog;
    this.sqSlots = rings.sqSlots;
    this.rqSlots = rings.rqSlots;
    this.maxSendWr = rings.sqSlots;
    this.maxRecvWr = rings.rqSlots - 1;
    this.sqKey = sq.key;
    this.sqMtt = sq.mtt;
    this.sqPages = sq.pages;
    this.rqKey = rq.key;
    this.rqMtt = rq.mtt;
    this.rqPages = rq.pages;
  }
}

/** Geometry of the two rings of a queue pair. */
export interface RingPlan {
  readonly sqStrideLog: number;
  readonly rqStrideLog: number;
  readonly sqSlots: number;
  readonly rqSlots: number;
}
