/**
 * What a host has open: domains, regions, queues, queue pairs. Checks that an object given by a caller is one of them.
 */

import { HostApiError } from './hostErrors.ts';
import type { Ah, Cq, Mr, Pd, Qp } from './verbsObjects.ts';

export class HostObjects {
  readonly pds = new Set<Pd>();
  readonly mrs = new Set<Mr>();
  readonly cqs = new Set<Cq>();
  readonly qps = new Map<number, Qp>();
  /** By index; they live until the device is closed. */
  readonly ahs: Ah[] = [];
  readonly #where: string;

  constructor(host: number) {
    this.#where = `host ${host}`;
  }

  /** @throws HostApiError of kind GONE for an object of another host, or one that was destroyed. */
  checkPd(pd: Pd): void {
    if (!pd.alive || !this.pds.has(pd)) throw this.#gone(`protection domain ${pd.pdn}`);
  }

  checkMr(mr: Mr): void {
    if (!mr.alive || !this.mrs.has(mr)) throw this.#gone(`memory region ${mr.key}`);
  }

  checkCq(cq: Cq): void {
    if (!cq.alive || !this.cqs.has(cq)) throw this.#gone(`completion queue ${cq.cqn}`);
  }

  checkQp(qp: Qp): void {
    if (!qp.alive || this.qps.get(qp.qpn) !== qp) throw this.#gone(`queue pair ${qp.qpn}`);
  }

  #gone(what: string): HostApiError {
    return new HostApiError(
      'GONE',
      this.#where,
      `${what} is not one of this host's`,
      'use an object that is open here',
    );
  }
}
