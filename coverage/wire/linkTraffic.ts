/** Whether packets are on their way, from what was sent and how long a trip takes at least. */

import type { LinkAgent } from '../../agents/link/linkAgent.ts';
import type { Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { QueuePairFacts, QueuePairs } from '../verbs/queuePairs.ts';
import type { WireTraffic } from '../verbs/wireTraffic.ts';

export class LinkTraffic implements WireTraffic {
  readonly #link: LinkAgent;
  readonly #scheduler: Scheduler;
  readonly #trip: number;
  #pairs: QueuePairs | undefined;

  constructor(link: LinkAgent, scheduler: Scheduler) {
    this.#link = link;
    this.#scheduler = scheduler;
    this.#trip = link.shortestTrip;
  }

  set pairs(pairs: QueuePairs) {
    this.#pairs = pairs;
  }

  get isBusy(): boolean {
    return this.#link.inFlight > 0;
  }

  get now(): SimTime {
    return this.#scheduler.now;
  }

  /** Ask once the backlog has been worked through. */
  isUnderWay(host: number, qpn: number): boolean {
    const pairs = this.#pairs;
    if (pairs === undefined) return false;
    const qp = pairs.of(host, qpn);
    return this.#reaches(qp) || (qp.remoteQpn >= 0 && this.#reaches(pairs.of(qp.remoteHost, qp.remoteQpn)));
  }

  #reaches({ packetAt }: QueuePairFacts): boolean {
    return packetAt >= 0 && packetAt + this.#trip > this.#scheduler.now;
  }
}
