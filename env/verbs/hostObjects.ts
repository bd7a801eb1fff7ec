/**
 * What a host has open: domains, regions, queues, queue pairs. Checks that an object given by a caller is one of them.
 */

import { QP_STATE } from '../../rdma/verbs.ts';
import type { DeviceLife } from './deviceLife.ts';
import { HostApiError } from './hostErrors.ts';
import { NumberRange } from './numberRange.ts';
import type { Ah, Cq, FastMr, Mr, Mw, Pd, Qp, Srq } from './verbsObjects.ts';

/** What was open when its device was lost. */
export interface DeadObjects {
  readonly mrs: Mr[];
  readonly cqs: Cq[];
  readonly qps: Qp[];
  readonly srqs: Srq[];
  readonly mkeys: (Mw | FastMr)[];
}

export class HostObjects {
  readonly pds = new Set<Pd>();
  readonly mrs = new Set<Mr>();
  readonly cqs = new Set<Cq>();
  readonly srqs = new Set<Srq>();
  readonly mws = new Set<Mw>();
  readonly fastMrs = new Set<FastMr>();
  readonly qps = new Map<number, Qp>();
  /** Numbers of queue pairs and completion queues, also of those that are gone. */
  readonly qpns = new NumberRange();
  readonly cqns = new NumberRange();
  /** By index, also those that are destroyed: an index is not used again until the device is closed. */
  readonly ahs: Ah[] = [];
  readonly #where: string;
  readonly #life: DeviceLife;
  /** Queue pairs made since the device was opened. */
  #made = 0;

  /** @param life of the device: with it all of its objects are dead */
  constructor(host: number, life: DeviceLife) {
    this.#life = life;
    this.#where = `host ${host}`;
  }

  addCq(cq: Cq): void {
    this.cqs.add(cq);
    this.cqns.take(cq.cqn);
  }

  /** A completion queue is in error. */
  queueFailed(cqn: number): void {
    for (const cq of this.cqs) if (cq.cqn === cqn) cq.inError = true;
  }

  addQp(qp: Qp): void {
    qp.ordinal = this.#made++;
    this.qps.set(qp.qpn, qp);
    this.qpns.take(qp.qpn);
  }

  /** The device is closed: queue pairs are numbered anew. */
  closed(): void {
    this.#made = 0;
  }

  /** The device is gone, and all that is open with it: from now on nothing is. @returns what was */
  allDead(): DeadObjects {
    const { pds, mrs, cqs, qps, srqs, mws, fastMrs } = this;
    const mkeys = [...mws, ...fastMrs];
    const dead = { mrs: [...mrs], cqs: [...cqs], qps: [...qps.values()], srqs: [...srqs], mkeys };
    for (const each of [...pds, ...dead.mrs, ...dead.cqs, ...dead.qps, ...dead.srqs, ...mkeys]) each.alive = false;
    for (const qp of dead.qps) endQueues(qp);
    for (const set of [pds, mrs, cqs, qps, srqs, mws, fastMrs]) set.clear();
    for (const ah of this.ahs) ah.alive = false;
    this.ahs.length = 0;
    return dead;
  }

  /** Open objects by kind, for end-of-test messages. */
  get counts(): { readonly pds: number; readonly mrs: number; readonly cqs: number; readonly qps: number } {
    return { pds: this.pds.size, mrs: this.mrs.size, cqs: this.cqs.size, qps: this.qps.size };
  }

  /** @throws HostApiError of kind GONE for an object of another host, or one that was destroyed; DeviceFatalError for a dead one. */
  checkPd(pd: Pd): void {
    if (!pd.alive || !this.pds.has(pd)) throw this.#gone(`protection domain ${pd.pdn}`, pd);
  }

  checkMr(mr: Mr): void {
    if (!mr.alive || !this.mrs.has(mr)) throw this.#gone(`memory region ${mr.key}`, mr);
  }

  checkMw(mw: Mw): void {
    if (!mw.alive || !this.mws.has(mw)) throw this.#gone(`memory window ${mw.key}`, mw);
  }

  checkFastMr(mr: FastMr): void {
    if (!mr.alive || !this.fastMrs.has(mr)) throw this.#gone(`fast-registered region ${mr.key}`, mr);
  }

  checkCq(cq: Cq): void {
    if (!cq.alive || !this.cqs.has(cq)) throw this.#gone(`completion queue ${cq.cqn}`, cq);
  }

  checkSrq(srq: Srq): void {
    if (!srq.alive || !this.srqs.has(srq)) throw this.#gone(`shared receive queue ${srq.srqn}`, srq);
  }

  checkAh(ah: Ah): void {
    if (!ah.alive || this.ahs[ah.index] !== ah) throw this.#gone(`address handle ${ah.index}`, ah);
  }

  checkQp(qp: Qp): void {
    if (!qp.alive || this.qps.get(qp.qpn) !== qp) throw this.#gone(`queue pair ${qp.qpn}`, qp);
  }

  #gone(what: string, { alive, host }: { readonly alive: boolean; readonly host: number }): HostApiError {
    this.#life.check();
    if (!alive) return new HostApiError('GONE', this.#where, `${what} has been destroyed`, 'create another one');
    const whose = `${what} belongs to host ${host}`;
    return new HostApiError('GONE', this.#where, whose, 'use an object that is open here', host);
  }
}

/** Nothing of it is outstanding, and nothing owed. */
function endQueues(qp: Qp): void {
  qp.state = QP_STATE.reset;
  qp.sqFreed = qp.sqPosted;
  qp.rqFreed = qp.rqPosted;
  qp.sqCompleted = qp.sqPosted;
}
