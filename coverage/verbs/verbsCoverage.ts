/**
 * Samples the covergroups of verbs. Listens to what host software asks for and is told: it keeps what it needs to know
 * of queue pairs and regions by itself, and asks nobody.
 *
 * Work goes to the backlog. All else is sampled at once, after the work that came before it.
 */

import type { SrqInfo } from '../../agents/verbs/srqItems.ts';
import type {
  AhInfo,
  AsyncEventItem,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { MkeyInfo } from '../../agents/verbs/mkeyItems.ts';
import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { ASYNC_EVENT, QP_STATE } from '../../rdma/verbs.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import type { Backlog } from '../backlog.ts';
import { AhCoverage } from './ah/ahCoverage.ts';
import { CompletionQueueCoverage } from './completionQueueCoverage.ts';
import { KeyCoverage } from './keys/keyCoverage.ts';
import { KnownVerbs } from './knownVerbs.ts';
import { asyncEventCg, COMMAND, EventSample } from './queueGroups.ts';
import type { QueuePairFacts, QueuePairs } from './queuePairs.ts';
import { FILLING } from './overflowGroups.ts';
import { SrqCoverage } from './srq/srqCoverage.ts';
import { RegionCoverage } from './regionCoverage.ts';
import { SetupCoverage } from './setupCoverage.ts';
import { StateCoverage } from './stateCoverage.ts';
import type { WireTraffic } from './wireTraffic.ts';
import { BufferCoverage } from './work/bufferCoverage.ts';
import { CompletionCoverage } from './work/completionCoverage.ts';
import { DoorbellCoverage } from './work/doorbellCoverage.ts';
import { ReceiveCoverage } from './work/receiveCoverage.ts';
import { SendCoverage } from './work/sendCoverage.ts';

export class VerbsCoverage implements VerbsObserver {
  readonly #backlog: Backlog;
  readonly #known: KnownVerbs;
  readonly #states: StateCoverage;
  readonly #setup: SetupCoverage;
  readonly #queues: CompletionQueueCoverage;
  readonly #regions: RegionCoverage;
  readonly #doorbells: DoorbellCoverage;
  readonly #sends: SendCoverage;
  readonly #receives: ReceiveCoverage;
  readonly #completions: CompletionCoverage;
  readonly #shared: SrqCoverage;
  readonly #handles: AhCoverage;
  readonly #keys: KeyCoverage;
  readonly #event = new EventSample();
  readonly #asyncEvents;

  constructor(collector: CoverageCollector, hosts: number, traffic: WireTraffic, backlog: Backlog) {
    const known = new KnownVerbs(hosts, traffic);
    const buffers = new BufferCoverage(collector);
    this.#backlog = backlog;
    this.#known = known;
    this.#states = new StateCoverage(collector, traffic);
    this.#setup = new SetupCoverage(collector, known);
    this.#queues = new CompletionQueueCoverage(collector, known.cqs);
    this.#regions = new RegionCoverage(collector, known);
    this.#doorbells = new DoorbellCoverage(collector, hosts, backlog);
    this.#shared = new SrqCoverage(collector, traffic);
    this.#handles = new AhCoverage(collector);
    this.#keys = new KeyCoverage(collector);
    this.#sends = new SendCoverage(collector, known, buffers, this.#doorbells, this.#handles, backlog);
    this.#receives = new ReceiveCoverage(collector, known.pairs, buffers, this.#shared, backlog);
    this.#completions = new CompletionCoverage(collector, known, this.#states, this.#shared, backlog);
    this.#asyncEvents = collector.create(asyncEventCg);
  }

  /** As they are once the backlog has been worked through. */
  get pairs(): QueuePairs {
    return this.#known.pairs;
  }

  postedSend(item: PostedSend): void {
    this.#sends.postedSend(item);
    if (this.#keys.any) this.#keys.posted(this.#known.pairs.of(item.host, item.qpn), item);
  }

  postedRecv(item: PostedRecv): void {
    this.#receives.postedRecv(item);
  }

  completion(item: VisibleCompletion): void {
    this.#completions.completion(item);
    if (this.#keys.any) this.#keys.completion(this.#known.pairs.of(item.host, item.wc.qpn), item);
  }

  /** Software writes to a BAR of the NIC. */
  doorbell(host: number): void {
    this.#doorbells.doorbell(host);
  }

  qpInInit(info: QpInfo): void {
    this.#shared.joins(this.#learned(info, QP_STATE.init));
  }

  qpInRtr(info: QpInfo): void {
    this.#learned(info, QP_STATE.rtr);
  }

  qpInRts(info: QpInfo): void {
    this.#setup.begins(this.#learned(info, QP_STATE.rts), info);
  }

  qpModifying(host: number, qpn: number): void {
    this.#pair(host, qpn).leavesInit = false;
  }

  qpToRtr(host: number, qpn: number): void {
    this.#pair(host, qpn).leavesInit = true;
  }

  /** Of changes in INIT nothing else is told. */
  qpModified(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    if (qp.state === QP_STATE.init && !qp.leavesInit) this.#states.moved(qp, QP_STATE.init);
  }

  qpChanging({ host, qpn }: QpInfo): void {
    const qp = this.#pair(host, qpn);
    this.#states.commanded(qp, COMMAND.modify);
    if (qp.state === QP_STATE.rts || qp.state === QP_STATE.sqd) this.#states.moved(qp, qp.state);
  }

  qpChanged(info: QpInfo): void {
    this.#pair(info.host, info.qpn).learn(info);
  }

  qpInSqd(host: number, qpn: number): void {
    this.#states.moved(this.#pair(host, qpn), QP_STATE.sqd);
  }

  /** Where it goes to ERR, it has been told to. */
  qpOutOfSqd(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    if (qp.state === QP_STATE.sqd) this.#states.moved(qp, QP_STATE.rts);
  }

  qpDraining(host: number, qpn: number): void {
    this.#states.commanded(this.#pair(host, qpn), COMMAND.drain);
  }

  qpResuming(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    if (qp.state === QP_STATE.sqd) this.#states.commanded(qp, COMMAND.resume);
    else if (qp.state === QP_STATE.sqe) this.#states.commanded(qp, COMMAND.recover);
  }

  qpOutOfSqe(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    qp.state = QP_STATE.sqe;
    this.#states.moved(qp, QP_STATE.rts);
  }

  qpToErr(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    this.#states.commanded(qp, COMMAND.toErr);
    this.#states.moved(qp, QP_STATE.err);
  }

  qpToReset(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    qp.leavesInit = true;
    this.#states.commanded(qp, COMMAND.reset);
  }

  qpDestroying(host: number, qpn: number): void {
    this.#states.commanded(this.#pair(host, qpn), COMMAND.destroy);
  }

  qpGone(host: number, qpn: number): void {
    const qp = this.#pair(host, qpn);
    if (qp.state !== QP_STATE.reset) this.#states.moved(qp, QP_STATE.reset);
    this.#known.closed(host, qp.sends.count);
    this.#setup.ends(qp);
    this.#shared.leaves(qp);
    this.#keys.gone(qp);
    qp.forget();
  }

  cqArmed(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    this.#queues.armed(host, cqn, solicitedOnly, unseen);
  }

  cqEvent(host: number, cqn: number): void {
    this.#queues.event(host, cqn);
  }

  cqGone(host: number, cqn: number): void {
    this.#backlog.work();
    this.#queues.gone(host, cqn);
  }

  cqSized(host: number, cqn: number, least: number, most: number): void {
    this.#queues.sized(host, cqn, least, most);
  }

  cqFilled(host: number, cqn: number): void {
    this.#backlog.work();
    this.#queues.filled(host, cqn, FILLING.filled);
  }

  srqCreated(info: SrqInfo): void {
    this.#shared.created(info);
  }

  srqArming(host: number, srqn: number, limit: number): void {
    this.#backlog.work();
    this.#shared.arming(host, srqn, limit);
  }

  srqGone(host: number, srqn: number): void {
    this.#backlog.work();
    this.#shared.gone(host, srqn);
  }

  ahMade(info: AhInfo): void {
    this.#backlog.work();
    this.#handles.made(info);
  }

  ahGone(host: number, index: number): void {
    this.#backlog.work();
    this.#handles.gone(host, index);
  }

  mkeyMade(info: MkeyInfo): void {
    this.#keys.made(info);
  }

  mkeyGoing(host: number, key: number): void {
    this.#keys.going(host, key);
  }

  areaOpened(area: AreaItem): void {
    this.#queues.areaOpened(area);
  }

  mrRegistered(info: MrInfo): void {
    this.#backlog.work();
    this.#regions.registered(info);
  }

  mrDeregistering(host: number, key: number): void {
    this.#backlog.work();
    this.#regions.deregistering(host, key);
  }

  asyncEvent({ host, event, number }: AsyncEventItem): void {
    const isOfPair =
      event !== ASYNC_EVENT.cqErr && event !== ASYNC_EVENT.srqLimitReached && event !== ASYNC_EVENT.srqErr;
    const qp = this.#pair(host, isOfPair ? number : NO_PAIR);
    if (event === ASYNC_EVENT.cqErr) this.#queues.filled(host, number, FILLING.overflowed);
    if (event === ASYNC_EVENT.srqLimitReached) this.#shared.limitReached(host, number);
    if (event === ASYNC_EVENT.lastWqeReached) this.#shared.lastReceive(qp);
    const e = this.#event;
    e.event = event;
    e.service = qp.service;
    e.outstanding = qp.sends.count;
    this.#asyncEvents.sample(e);
  }

  /** Once, at the end. */
  conclude(): void {
    this.#backlog.work();
    this.#shared.conclude();
    this.#setup.conclude();
  }

  /** A queue pair as it is after all that has been noted. */
  #pair(host: number, qpn: number): QueuePairFacts {
    this.#backlog.work();
    return this.#known.pairs.of(host, qpn);
  }

  #learned(info: QpInfo, state: number): QueuePairFacts {
    const qp = this.#pair(info.host, info.qpn);
    qp.learn(info);
    this.#states.moved(qp, state);
    return qp;
  }
}

/** Of events that are about no queue pair. */
const NO_PAIR = -1;
