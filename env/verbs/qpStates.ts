/** What software does to the state of queue pairs: modify, query and connect, and who is told of it. */

import type { SubjectPart } from '../../rdma/subject.ts';
import { aCommand, aQueuePair } from '../../rdma/subjectParts.ts';
import { QP_STATE, QP_STATE_NAME, QP_TYPE } from '../../rdma/verbs.ts';
import type { QpState } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { CapabilityChecks } from './capabilities.ts';
import { connectPlan, mtuCode } from './connectPlan.ts';
import type { Drains } from './drains.ts';
import type { ConnectAttributes, RemoteQp } from './hostApi.ts';
import { HostApiError, UnreadCommandError, WrongStateError } from './hostErrors.ts';
import type { HostObjects } from './hostObjects.ts';
import type { KnownQp } from '../../agents/verbs/qpQuery.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import { qpInfoOf } from './hostPublisher.ts';
import type { Provider } from '../providers/provider.ts';
import { applyAttributes, ATTRIBUTE_BIT, attributeMask, attributesOf } from './qpAttributes.ts';
import type { QpAttributes } from './qpAttributes.ts';
import { checkModify, describe, mayHaveMoved } from './qpTransitions.ts';
import type { AttributeLimits } from './qpTransitions.ts';
import { mayBeIn } from './queriedState.ts';
import type { Qp } from './verbsObjects.ts';

/** Parts of the host that it works with. */
export interface QpStatesParts {
  readonly provider: Provider;
  readonly objects: HostObjects;
  readonly monitor: VerbsMonitor;
  readonly drains: Drains;
  readonly allows: CapabilityChecks;
  /** What attribute values are held against now. */
  readonly limits: () => AttributeLimits;
  /** Takes contexts that are not what was written, and changes that the NIC refuses without cause. */
  readonly error: (id: 'HCA_QUERY_QP' | 'HCA_CMD_STATUS', text: () => string, ...about: SubjectPart[]) => void;
}

/** States in which a queue pair sends less than in the ones that follow. */
const RESUMING: ReadonlySet<QpState> = new Set([QP_STATE.reset, QP_STATE.sqd, QP_STATE.sqe]);
/** Attributes of a queue pair in RTS and beyond whose change those are told who judge it. */
const TOLD = [
  ATTRIBUTE_BIT.accessFlags,
  ATTRIBUTE_BIT.qkey,
  ATTRIBUTE_BIT.av,
  ATTRIBUTE_BIT.minRnrTimer,
  ATTRIBUTE_BIT.maxRdAtomic,
  ATTRIBUTE_BIT.maxDestRdAtomic,
  ATTRIBUTE_BIT.timeout,
  ATTRIBUTE_BIT.retryCnt,
  ATTRIBUTE_BIT.rnrRetry,
].reduce((bits, bit) => bits | bit, 0);

export class QpStates {
  readonly #parts: QpStatesParts;

  constructor(parts: QpStatesParts) {
    this.#parts = parts;
  }

  /** @throws HostApiError, nothing has changed then; also when the queue pair has left its state by itself */
  *modify(qp: Qp, attr: QpAttributes): Proc<void> {
    const { objects, allows, monitor, limits } = this.#parts;
    objects.checkQp(qp);
    if (mayHaveMoved(qp, attr)) yield* this.query(qp);
    checkModify(qp, attr, limits());
    allows.modify(qp, attr);
    const from = qp.state;
    // It knows the NIC no more than the NIC knows it.
    if (from === QP_STATE.reset && attr.state === from) return;
    const changes = isTold(qp, attr);
    const before = changes || from >= QP_STATE.rts ? attributesOf(qp) : {};
    qp.changes++;
    monitor.tell('qpModifying', qp.host, qp.qpn);
    applyAttributes(qp, attr);
    this.#leave(qp, from, attr);
    if (changes) monitor.tell('qpChanging', qpInfoOf(qp));
    const refused = yield* this.#order(qp, attr);
    if (refused !== undefined) applyAttributes(qp, before);
    qp.changes++;
    monitor.tell('qpModified', qp.host, qp.qpn);
    if (changes) monitor.tell('qpChanged', qpInfoOf(qp));
    if (refused !== undefined) yield* this.#refused(qp, from, attr, refused);
    this.#enter(qp, from, attr.state);
  }

  *query(qp: Qp): Proc<QpAttributes> {
    this.#parts.objects.checkQp(qp);
    const before = knownOf(qp);
    const attr = yield* this.#asking(qp, this.#parts.provider.queryQp(qp));
    this.#parts.monitor.tell('qpQueried', { before, now: qp, said: attr });
    if (mayBeIn(qp, qp.state, attr.state)) qp.state = attr.state;
    return attr;
  }

  *connect(qp: Qp, remote: RemoteQp | null, attrs: ConnectAttributes): Proc<void> {
    if (qp.type === QP_TYPE.ud && attrs.mtu !== undefined) qp.pathMtu = mtuCode(qp, attrs.mtu);
    for (const step of connectPlan(qp, remote, attrs)) yield* this.modify(qp, step);
    const differences = yield* this.#asking(qp, this.#parts.provider.verifyQp(qp));
    if (differences.length === 0) return;
    const text = (): string => `${describe(qp)}: ${differences.join('; ')}`;
    this.#parts.error('HCA_QUERY_QP', text, aQueuePair(qp.host, qp.qpn), aCommand(qp.host, 'QUERY_QP'));
  }

  /** Has the NIC look at the context of a queue pair. */
  *#asking<T>({ host, qpn }: Qp, work: Proc<T>): Proc<T> {
    const { monitor } = this.#parts;
    monitor.tell('qpQuerying', host, qpn);
    try {
      return yield* work;
    } finally {
      monitor.tell('qpAsked', host, qpn);
    }
  }

  /** @returns why the NIC did not do it, where that may be right: in another state, or without what it could not read */
  *#order(qp: Qp, attr: QpAttributes): Proc<WrongStateError | UnreadCommandError | undefined> {
    try {
      yield* this.#parts.provider.modifyQp(qp, attr);
      return undefined;
    } catch (error) {
      if (error instanceof WrongStateError || error instanceof UnreadCommandError) return error;
      throw error;
    }
  }

  /** @throws HostApiError when a request or a packet has broken the queue pair meanwhile; else CommandError, reported */
  *#refused(qp: Qp, from: QpState, attr: QpAttributes, refused: WrongStateError | UnreadCommandError): Proc<never> {
    const { drains, monitor, error } = this.#parts;
    if (attr.enSqdAsyncNotify === true) {
      drains.refused(qp.qpn);
      monitor.tell('qpDrainRefused', qp.host, qp.qpn);
    }
    if (refused instanceof UnreadCommandError) throw refused;
    const { state } = yield* this.query(qp);
    if (state === from || qp.state !== state) {
      error('HCA_CMD_STATUS', () => refused.text, aQueuePair(qp.host, qp.qpn));
      throw refused;
    }
    const [name, wanted] = [QP_STATE_NAME[state], QP_STATE_NAME[attr.state]];
    const hint = state === QP_STATE.sqe ? 'take it to RTS first' : 'its completions say why; take it to RESET';
    throw new HostApiError('STATE', describe(qp), `went to ${name} by itself before it came to ${wanted}`, hint, state);
  }

  /** From now on the NIC may do what it does in the new state. */
  #leave(qp: Qp, from: QpState, attr: QpAttributes): void {
    const { monitor, drains } = this.#parts;
    const { host, qpn } = qp;
    const to = attr.state;
    if (to === QP_STATE.reset && from !== to) monitor.tell('qpToReset', host, qpn);
    if (to === QP_STATE.err) monitor.tell('qpToErr', host, qpn);
    if (from === QP_STATE.init && to === QP_STATE.rtr) monitor.tell('qpToRtr', host, qpn);
    if (from === QP_STATE.rtr && to === QP_STATE.rts) monitor.tell('qpToRts', host, qpn);
    if (from === QP_STATE.rts && attr.enSqdAsyncNotify === true) {
      drains.begin(qp);
      monitor.tell('qpDrainAsked', host, qpn);
    }
    if (from === QP_STATE.sqd && to !== from) drains.leave(qp);
    if (RESUMING.has(from) && to !== from) monitor.tell('qpResuming', host, qpn);
    if (from === QP_STATE.sqe) qp.sqRecovered = qp.sqPosted;
  }

  #enter(qp: Qp, from: QpState, to: QpState): void {
    const { monitor, drains } = this.#parts;
    const { host, qpn } = qp;
    // It may have broken while the command was under way.
    if (qp.state === from || to === QP_STATE.reset) qp.state = to;
    drains.entered(qpn, to);
    if (from === QP_STATE.rts && drains.isAwaited(qpn)) monitor.tell('qpDraining', host, qpn);
    if (to === QP_STATE.err) monitor.tell('qpInErr', host, qpn);
    if (from === QP_STATE.reset && to === QP_STATE.init) monitor.tell('qpInInit', qpInfoOf(qp));
    if (from === QP_STATE.init && to === QP_STATE.rtr) monitor.tell('qpInRtr', qpInfoOf(qp));
    if (from === QP_STATE.rtr && to === QP_STATE.rts) monitor.tell('qpInRts', qpInfoOf(qp));
    if (from === QP_STATE.sqe && to === QP_STATE.rts) monitor.tell('qpOutOfSqe', host, qpn);
    if (to === QP_STATE.reset && from !== QP_STATE.reset) monitor.tell('qpGone', host, qpn);
    if (from !== to && to === QP_STATE.sqd) monitor.tell('qpInSqd', host, qpn);
    if (from !== to && from === QP_STATE.sqd) monitor.tell('qpOutOfSqd', host, qpn);
  }
}

/** To be taken before the command. */
function knownOf({ state, sqPosted, sqFreed, sqFailed, rqFreed, changes }: Qp): KnownQp {
  return { state, sqPosted, sqFreed, sqFailed, rqFreed, changes };
}

/** Whether those who judge a queue pair must know of a change: in RTR of what its peer meets, which is served there already. */
function isTold(qp: Qp, attr: QpAttributes): boolean {
  if (qp.state >= QP_STATE.rts) return (attributeMask(attr) & TOLD) !== 0;
  return qp.state === QP_STATE.rtr && servesOtherwise(qp, attr);
}

function servesOtherwise({ accessFlags, minRnrTimer, qkey }: Qp, attr: QpAttributes): boolean {
  const sameTimer = (attr.minRnrTimer ?? minRnrTimer) === minRnrTimer;
  return (attr.accessFlags ?? accessFlags) !== accessFlags || (attr.qkey ?? qkey) !== qkey || !sameTimer;
}
