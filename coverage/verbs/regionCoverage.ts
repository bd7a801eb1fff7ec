/** Samples the covergroups of memory regions: as they come, and what is under way as they go. */

import type { MrInfo } from '../../agents/verbs/verbsItems.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { PAGE_BYTES } from '../sizeClass.ts';
import type { KnownVerbs } from './knownVerbs.ts';
import { DeregisterSample, deregisterCg, RegionSample, regionCg } from './queueGroups.ts';

export class RegionCoverage {
  readonly #known: KnownVerbs;
  readonly #region = new RegionSample();
  readonly #deregister = new DeregisterSample();
  readonly #registered;
  readonly #deregistered;

  constructor(collector: CoverageCollector, known: KnownVerbs) {
    this.#known = known;
    this.#registered = collector.create(regionCg);
    this.#deregistered = collector.create(deregisterCg);
  }

  registered(info: MrInfo): void {
    const { host, key, access, zeroBased, length, lo } = info;
    const { regions } = this.#known;
    const r = this.#region;
    regions.add(info);
    r.access = access;
    r.zeroBased = zeroBased;
    r.length = length;
    r.offset = lo & (PAGE_BYTES - 1);
    r.reused = regions.wasUsed(host, key);
    r.count = regions.count(host);
    this.#registered.sample(r);
  }

  deregistering(host: number, key: number): void {
    const { regions, open, traffic } = this.#known;
    const d = this.#deregister;
    regions.remove(host, key);
    d.localWork = (open[host] as number) > 0;
    d.remoteWork = open.some((requests, other) => other !== host && requests > 0);
    d.linkBusy = traffic.isBusy;
    this.#deregistered.sample(d);
  }
}
