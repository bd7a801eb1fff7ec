/** Samples the covergroup of address handles. */
import type { AhInfo } from '../../../agents/verbs/verbsItems.ts';
import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import type { QueuePairFacts } from '../queuePairs.ts';
import { addressHandleCg, HANDLE_STEP, HandleSample } from './ahGroups.ts';

interface Handle {
  readonly info: AhInfo;
  /** Queue pair that has used it last. */
  user: QueuePairFacts | null;
}

export class AhCoverage {
  readonly #handles = new Map<number, Handle>();
  readonly #sample = new HandleSample();
  readonly #group;

  constructor(collector: CoverageCollector) {
    this.#group = collector.create(addressHandleCg);
  }

  made(info: AhInfo): void {
    this.#handles.set(keyOf(info.host, info.index), { info, user: null });
    this.#happens(info, HANDLE_STEP.made);
  }

  /** A datagram is posted. */
  used(qp: QueuePairFacts, index: number): void {
    const handle = this.#handles.get(keyOf(qp.host, index));
    if (handle === undefined) return;
    const isFirst = handle.user === null;
    handle.user = qp;
    if (isFirst) this.#happens(handle.info, HANDLE_STEP.used, handle.info.pd !== undefined && handle.info.pd !== qp.pd);
  }

  gone(host: number, index: number): void {
    const handle = this.#handles.get(keyOf(host, index));
    if (handle === undefined) return;
    const { info, user } = handle;
    this.#handles.delete(keyOf(host, index));
    if (user === null) this.#happens(info, HANDLE_STEP.destroyedUnused);
    else this.#happens(info, user.isBusy ? HANDLE_STEP.destroyedBusy : HANDLE_STEP.destroyedIdle);
  }

  #happens({ path }: AhInfo, step: number, isForeign = false): void {
    const h = this.#sample;
    h.step = step;
    h.isForeign = isForeign;
    h.ipv6 = path.ipv6;
    h.trafficClass = path.trafficClass;
    h.flowLabel = path.flowLabel;
    h.hopLimit = path.hopLimit;
    this.#group.sample(h);
  }
}

function keyOf(host: number, index: number): number {
  return host * 2 ** 32 + index;
}
