/** Samples the covergroups of queue pairs as they come to RTS: attributes, how many there are, and shared completion queues. */

import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { TopologySample, topologyCg } from './queueGroups.ts';
import type { KnownVerbs } from './knownVerbs.ts';
import {
  AttributesSample,
  cqSharingCg,
  PopulationSample,
  pathCg,
  populationCg,
  qpAttributesCg,
  startPsnCg,
} from './queuePairGroups.ts';
import { type QueuePairFacts, SERVICE } from './queuePairs.ts';

export class SetupCoverage {
  readonly #known: KnownVerbs;
  /** By host: processes that have queue pairs. */
  readonly #processes: readonly Set<number>[];
  readonly #attributes = new AttributesSample();
  readonly #population = new PopulationSample();
  readonly #groups;

  constructor(collector: CoverageCollector, known: KnownVerbs) {
    this.#known = known;
    this.#processes = Array.from({ length: known.hosts }, () => new Set<number>());
    this.#groups = {
      attributes: collector.create(qpAttributesCg),
      startPsn: collector.create(startPsnCg),
      paths: collector.create(pathCg),
      cqSharing: collector.create(cqSharingCg),
      population: collector.create(populationCg),
      topology: collector.create(topologyCg),
    };
  }

  /** It sends from now on. */
  begins(qp: QueuePairFacts, info: QpInfo): void {
    const { host, process } = info;
    const { pairs } = this.#known;
    const p = this.#population;
    pairs.count(qp, 1);
    this.#processes[host]?.add(process);
    p.rc = pairs.ready(host, SERVICE.rc);
    p.uc = pairs.ready(host, SERVICE.uc);
    p.ud = pairs.ready(host, SERVICE.ud);
    this.#groups.population.sample(p);
    this.#sampleAttributes(qp, info);
  }

  /** It is gone. */
  ends(qp: QueuePairFacts): void {
    const { host, sendCqn, recvCqn } = qp;
    this.#known.pairs.count(qp, -1);
    const send = this.#known.cqs.of(host, sendCqn);
    send.sharers = Math.max(0, send.sharers - 1);
    if (recvCqn === sendCqn) return;
    const receive = this.#known.cqs.of(host, recvCqn);
    receive.sharers = Math.max(0, receive.sharers - 1);
  }

  /** Once, at the end. */
  conclude(): void {
    const t = new TopologySample();
    t.hosts = this.#known.hosts;
    for (const processes of this.#processes) {
      if (processes.size === 0) continue;
      t.processes = processes.size;
      this.#groups.topology.sample(t);
    }
  }

  #sampleAttributes(qp: QueuePairFacts, info: QpInfo): void {
    const { host, sendCqn, recvCqn, path } = info;
    const { cqs } = this.#known;
    const a = this.#attributes;
    a.service = qp.service;
    a.mtu = info.mtu;
    a.ackTimeout = info.ackTimeout;
    a.retryCnt = info.retryCnt ?? 0;
    a.rnrRetry = info.rnrRetry;
    a.minRnrTimer = info.minRnrTimer ?? 0;
    a.maxRdAtomic = info.maxRdAtomic ?? 0;
    a.sqPsn = info.sqPsn;
    a.rqPsn = info.rqPsn;
    a.signalAll = info.signalAll;
    a.ipv6 = path?.ipv6 ?? false;
    a.trafficClass = path?.trafficClass ?? 0;
    a.hopLimit = path?.hopLimit ?? 0;
    a.flowLabel = path?.flowLabel ?? 0;
    a.oneCq = sendCqn === recvCqn;
    a.sharers = cqs.of(host, sendCqn).sharers++;
    if (recvCqn !== sendCqn) cqs.of(host, recvCqn).sharers++;
    const { attributes, startPsn, paths, cqSharing } = this.#groups;
    attributes.sample(a);
    startPsn.sample(a);
    paths.sample(a);
    cqSharing.sample(a);
  }
}
