/** Samples the covergroups of completion queues: how they are armed, and their rings. */

import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import { ArmSample, cqArmCg, cqRingCg, RingSample } from './queueGroups.ts';
import type { SharedCqs } from './sharedCqs.ts';

export class CompletionQueueCoverage {
  readonly #cqs: SharedCqs;
  readonly #arm = new ArmSample();
  readonly #ring = new RingSample();
  readonly #arms;
  readonly #rings;

  constructor(collector: CoverageCollector, cqs: SharedCqs) {
    this.#cqs = cqs;
    this.#arms = collector.create(cqArmCg);
    this.#rings = collector.create(cqRingCg);
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
