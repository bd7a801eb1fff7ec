/** The calls of the host API that are about shared receive queues: what holds for every NIC, and whom to tell. */
import type { RecvWr } from '../../../agents/verbs/verbsItems.ts';
import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { SrqDriver } from '../../providers/srqDriver.ts';
import type { CapabilityChecks } from '../capabilities.ts';
import { DONE } from '../done.ts';
import { HostApiError } from '../hostErrors.ts';
import type { HostObjects } from '../hostObjects.ts';
import { postedBefore } from '../postedBefore.ts';
import type { SrqAttributes, SrqChange, SrqRequest } from './srqRequests.ts';
import type { Pd, Srq } from '../verbsObjects.ts';

/** Parts of the host that it works with. */
export interface SharedReceivesParts {
  /** Of a provider with the capability. */
  readonly driver: SrqDriver | undefined;
  readonly objects: HostObjects;
  readonly monitor: VerbsMonitor;
  readonly allows: CapabilityChecks;
}

export class SharedReceives {
  readonly #parts: SharedReceivesParts;

  constructor(parts: SharedReceivesParts) {
    this.#parts = parts;
  }

  *create(pd: Pd, request: SrqRequest): Proc<Srq> {
    const { objects, allows, monitor } = this.#parts;
    objects.checkPd(pd);
    allows.sharedReceives();
    for (const [name, value] of Object.entries(request)) {
      if (Number.isInteger(value) && value >= 1) continue;
      throw new HostApiError('LIMIT', `host ${pd.host}`, `${name} is ${value}`, 'use 1 or more', value);
    }
    const srq = yield* this.#driver.create(pd, request);
    pd.users++;
    objects.srqs.add(srq);
    monitor.tell('srqCreated', { host: srq.host, srqn: srq.srqn, process: srq.process, pd: pd.pdn });
    return srq;
  }

  *modify(srq: Srq, { limit, maxWr }: SrqChange): Proc<void> {
    const { objects, monitor } = this.#parts;
    objects.checkSrq(srq);
    if (maxWr !== undefined)
      throw misuse(srq, 'UNSUPPORTED', 'another size', 'create it as large as it must ever be', maxWr);
    if (limit === undefined) return;
    if (!(Number.isInteger(limit) && limit >= 0 && limit <= srq.maxWr))
      throw misuse(srq, 'LIMIT', `limit ${limit}`, `use 0 .. ${srq.maxWr}`, limit);
    monitor.tell('srqArming', srq.host, srq.srqn, limit);
    yield* this.#driver.setLimit(srq, limit);
    monitor.tell('srqArmed', srq.host, srq.srqn, limit);
  }

  *query(srq: Srq): Proc<SrqAttributes> {
    const { objects, monitor } = this.#parts;
    objects.checkSrq(srq);
    monitor.tell('srqQuerying', srq.host, srq.srqn);
    const said = yield* this.#driver.query(srq);
    monitor.tell('srqQueried', { host: srq.host, srqn: srq.srqn, maxWr: srq.maxWr, maxSge: srq.maxSge, said });
    return said;
  }

  *destroy(srq: Srq): Proc<void> {
    const { objects, monitor } = this.#parts;
    objects.checkSrq(srq);
    if (srq.users > 0) throw misuse(srq, 'IN_USE', `${srq.users} queue pairs use it`, 'destroy them first', srq.users);
    srq.alive = false;
    objects.srqs.delete(srq);
    yield* this.#driver.destroy(srq);
    srq.pd.users--;
    monitor.tell('srqGone', srq.host, srq.srqn);
  }

  /** Of a list with a mistake what is in front of that, as `HostApi.postSend`. */
  post(srq: Srq, wrs: readonly RecvWr[], count: number): Proc<void> {
    try {
      return this.#post(srq, wrs, count);
    } catch (error) {
      return postedBefore(error, (right) => this.post(srq, wrs, right));
    }
  }

  #post(srq: Srq, wrs: readonly RecvWr[], count: number): Proc<void> {
    this.#parts.objects.checkSrq(srq);
    if (count === 0) return DONE;
    const room = srq.maxWr - srq.outstanding;
    if (count > room) {
      const what = `${srq.outstanding} outstanding receives and ${count} more exceed ${srq.maxWr}`;
      throw misuse(srq, 'QUEUE_FULL', what, 'poll completions or create it with more', count).at(room);
    }
    for (let i = 0; i < count; i++) {
      const { numSge } = wrs[i] as RecvWr;
      if (numSge <= srq.maxSge) continue;
      const what = `receive ${i} has ${numSge} entries, maxSge is ${srq.maxSge}`;
      throw misuse(srq, 'TOO_MANY_SGE', what, 'use fewer, or create it with more', numSge).at(i);
    }
    return this.#driver.post(srq, wrs, count);
  }

  /** Whoever has the capability has one. */
  get #driver(): SrqDriver {
    return this.#parts.driver as SrqDriver;
  }
}

function misuse(
  { host, srqn }: Srq,
  kind: ConstructorParameters<typeof HostApiError>[0],
  what: string,
  hint: string,
  value: unknown,
): HostApiError {
  return new HostApiError(kind, `host ${host} SRQ ${srqn}`, what, hint, value);
}
