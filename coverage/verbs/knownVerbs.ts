/** What coverage knows of verbs, by itself: its parts share one of these. */

import type { WireTraffic } from './wireTraffic.ts';
import { QueuePairs } from './queuePairs.ts';
import { Regions } from './regions.ts';
import { SharedCqs } from './sharedCqs.ts';

export class KnownVerbs {
  readonly hosts: number;
  readonly traffic: WireTraffic;
  readonly pairs = new QueuePairs();
  readonly regions = new Regions();
  readonly cqs = new SharedCqs();
  /** By host: requests that have no completion. */
  readonly open: Int32Array;

  constructor(hosts: number, traffic: WireTraffic) {
    this.hosts = hosts;
    this.traffic = traffic;
    this.open = new Int32Array(hosts);
  }

  /** Requests of a host have been posted; below 0: have completed. */
  opened(host: number, requests: number): void {
    this.open[host] = (this.open[host] as number) + requests;
  }

  /** Requests of a host will never complete. */
  closed(host: number, requests: number): void {
    this.open[host] = Math.max(0, (this.open[host] as number) - requests);
  }
}
