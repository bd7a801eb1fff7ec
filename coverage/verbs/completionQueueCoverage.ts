/** Samples the covergroups of completion queues: how they are armed, and their rings. */

import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { ArmSample, cqArmCg, cqRingCg, RingSample } from './queueGroups.ts';
import { cqOverflowCg, OverflowSample } from './overflowGroups.ts';
import type { SharedCqs } from './sharedCqs.ts';

export class CompletionQueueCoverage {
  readonly #cqs: SharedCqs;
  readonly #arm = new ArmSample();
  readonly #ring = new RingSample();
  readonly #overflow = new OverflowSample();
  readonly #arms;
  readonly #rings;
  readonly #overflows;

  constructor(collector: CoverageCollector, cqs: SharedCqs) {
    this.#cqs = cqs;
    this.#arms = collector.create(cqArmCg);
    this.#rings = collector.create(cqRingCg);
    this.#overflows = collector.create(cqOverflowCg);
  }

  armed(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    const cq = this.#cqs.of(host, cqn);
    const a = this.#arm;
    a.solicitedOnly = solicitedOnly;
    a.unseen = unseen;
    a.again = cq.armed;
    cq.armed = true;
    this.#arms.sample(a);
  }

  event(host: number, cqn: number): void {
    this.#cqs.of(host, cqn).armed = false;
  }

  sized(host: number, cqn: number, least: number, most: number): void {
    const cq = this.#cqs.of(host, cqn);
    cq.least = least;
    cq.most = most;
  }

  /** Every entry is in use; or it has overflowed. @param outcome `FILLING` */
  filled(host: number, cqn: number, outcome: number): void {
    const { least, most, sharers, lastWasSend, armed } = this.#cqs.of(host, cqn);
    const o = this.#overflow;
    o.outcome = outcome;
    o.entries = least;
    o.isResizing = least !== most;
    o.users = sharers;
    o.lastWasSend = lastWasSend;
    o.isArmed = armed;
    this.#overflows.sample(o);
  }

  gone(host: number, cqn: number): void {
    this.#cqs.forget(host, cqn);
  }

  /** A ring of a completion queue; pieces of one are told one by one. */
  areaOpened({ kind, offset, ringBytes, entryBytes, continues }: AreaItem): void {
    if (kind !== 'cq' || offset !== 0) return;
    const r = this.#ring;
    r.bytes = ringBytes;
    r.entryBytes = entryBytes;
    r.replaces = continues;
    this.#rings.sample(r);
  }
}
