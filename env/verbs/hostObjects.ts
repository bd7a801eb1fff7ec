/**
 * What a host has open: domains, regions, queues, queue pairs. Checks that an object given by a caller is one of them.
 */

import { HostApiError } from './hostErrors.ts';
import { NumberRange } from './numberRange.ts';
import type { Ah, Cq, Mr, Pd, Qp } from './verbsObjects.ts';

export class HostObjects {
  readonly pds = new Set<Pd>();
  readonly mrs = new Set<Mr>();
  readonly cqs = new Set<Cq>();
  readonly qps = new Map<number, Qp>();
  /** Numbers of queue pairs and completion queues, also of those that are gone. */
  readonly qpns = new NumberRange();
  readonly cqns = new NumberRange();
  /** By index; they live until the device is closed. */
  readonly ahs: Ah[] = [];
  readonly #where: string;
  /** Queue pairs made since the device was opened. */
  #made = 0;

  constructor(host: number) {
    this.#where = `host ${host}`;
  }

  addCq(cq: Cq): void {
    this.cqs.add(cq);
    this.cqns.take(cq.cqn);
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

  /** Open objects by kind, for end-of-test messages. */
  get counts(): { readonly pds: number; readonly mrs: number; readonly cqs: number; readonly qps: number } {
    return { pds: this.pds.size, mrs: this.mrs.size, cqs: this.cqs.size, qps: this.qps.size };
  }

  /** @throws HostApiError of kind GONE for an object of another host, or one that was destroyed. */
  checkPd(pd: Pd): void {
    if (!pd.alive || !this.pds.has(pd)) throw this.#gone(`protection domain ${pd.pdn}`, pd);
  }

  checkMr(mr: Mr): void {
    if (!mr.alive || !this.mrs.has(mr)) throw this.#gone(`memory region ${mr.key}`, mr);
  }

  checkCq(cq: Cq): void {
    if (!cq.alive || !this.cqs.has(cq)) throw this.#gone(`completion queue ${cq.cqn}`, cq);
  }

  checkQp(qp: Qp): void {
    if (!qp.alive || this.qps.get(qp.qpn) !== qp) throw this.#gone(`queue pair ${qp.qpn}`, qp);
  }

  #gone(what: string, { alive, host }: { readonly alive: boolean; readonly host: number }): HostApiError {
    if (!alive) return new HostApiError('GONE', this.#where, `${what} has been destroyed`, 'create another one');
    const whose = `${what} belongs to host ${host}`;
    return new HostApiError('GONE', this.#where, whose, 'use an object that is open here', host);
  }
}
