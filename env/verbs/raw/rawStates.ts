/**
 * What software does to the state of raw packet queue pairs: RESET, INIT, RTR, RTS, ERR. They have no peer, so that of their
 * states only those three moments are told that `VerbsObserver` has for them.
 */

import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import { QP_STATE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Provider } from '../../providers/provider.ts';
import { connectPlan } from '../connectPlan.ts';
import type { ConnectAttributes } from '../hostApi.ts';
import type { HostObjects } from '../hostObjects.ts';
import { rawQpInfoOf } from '../hostPublisher.ts';
import { applyAttributes, type QpAttributes } from '../qpAttributes.ts';
import { type AttributeLimits, checkModify } from '../qpTransitions.ts';
import type { Qp } from '../verbsObjects.ts';

/** Parts of the host that it works with. */
export interface RawStatesParts {
  readonly provider: Provider;
  readonly objects: HostObjects;
  readonly monitor: VerbsMonitor;
  /** What attribute values are held against now. */
  readonly limits: () => AttributeLimits;
  /** Of the longest frame that a NIC sends; undefined: an MTU and 18. */
  readonly mostBytes: number | undefined;
}

export class RawStates {
  readonly #parts: RawStatesParts;

  constructor(parts: RawStatesParts) {
    this.#parts = parts;
  }

  /** @throws HostApiError, nothing has changed then */
  *modify(qp: Qp, attr: QpAttributes): Proc<void> {
    const { objects, monitor, provider, limits, mostBytes } = this.#parts;
    objects.checkQp(qp);
    checkModify(qp, attr, limits());
    const from = qp.state;
    const to = attr.state;
    if (from === QP_STATE.reset && to === from) return;
    qp.changes++;
    applyAttributes(qp, attr);
    if (to === QP_STATE.err || to === QP_STATE.reset) monitor.tell('rawQpStopping', qp.host, qp.qpn);
    if (from === QP_STATE.reset && to === QP_STATE.init) monitor.tell('rawQpToInit', rawQpInfoOf(qp, mostBytes));
    yield* provider.modifyQp(qp, attr);
    qp.changes++;
    // It may have broken while the command was under way.
    if (qp.state === from || to === QP_STATE.reset) qp.state = to;
    if (from === QP_STATE.init && to === QP_STATE.rtr) monitor.tell('rawQpInRtr', qp.host, qp.qpn);
    if (to === QP_STATE.reset) monitor.tell('rawQpGone', qp.host, qp.qpn);
  }

  query(qp: Qp): Proc<QpAttributes> {
    this.#parts.objects.checkQp(qp);
    return this.#parts.provider.queryQp(qp);
  }

  *connect(qp: Qp, attrs: ConnectAttributes): Proc<void> {
    for (const step of connectPlan(qp, null, attrs)) yield* this.modify(qp, step);
  }

  /** Tells that it is destroyed, around the `destruction` itself. */
  *destroy(qp: Qp, destruction: Proc<void>): Proc<void> {
    const { monitor } = this.#parts;
    monitor.tell('rawQpStopping', qp.host, qp.qpn);
    yield* destruction;
    monitor.tell('rawQpGone', qp.host, qp.qpn);
  }
}
