/**
 * The room of checks: each file holds one kind of observation (completions, events, flushes, liveness, leftovers) against
 * what the model says must or may be. A check reports by `s.reporter` with an id of `report/reportIds.ts`, and imports none of
 * its neighbours. A new event is one method here and one in the check that wants it.
 *
 * This file, the black-box oracle: an observer of the verbs interface, of the wire and of what NICs write, it says what is wrong.
 * Knows nothing of the DUT. Findings go to an error sink by id; nothing here throws because of the DUT.
 *
 * Who is here: one method an event, each of which hands it to the checks that it concerns, in the order in which they
 * depend on each other. What is checked stands in the rooms: `model` (what is known), `reference` (flows on the wire),
 * `rules` (what must become of a request), `memory` (bytes), `report` (ids and texts).
 */

import type { Subject } from '../../rdma/subject.ts';
import type { LinkTries } from '../model/linkTries.ts';
import type { CqQuery } from '../../agents/verbs/cqItems.ts';
import { cqQueried } from './cqQueries.ts';
import type { MrQuery } from '../../agents/verbs/mrItems.ts';
import { mrQueried } from './mrQueries.ts';
import { handleDestroyed } from '../rules/addressHandles.ts';
import { type QueuePair, NO_RECEIVE } from '../model/work.ts';
import type {
  AhInfo,
  AsyncEventItem,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  RawQpInfo,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { SrqInfo, SrqQuery } from '../../agents/verbs/srqItems.ts';
import type { QpQuery } from '../../agents/verbs/qpQuery.ts';
import type { PacketArrival, PacketFate } from '../../agents/wire/decodedPacket.ts';
import type { AreaItem, DataWritten } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { BTH_CLASS, BTH_OP, SYNDROME } from '../../rdma/bth.ts';
import { ASYNC_EVENT, QP_STATE, type QpState, QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import { type ErrorSink, Findings } from '../../uvm/report/findings.ts';
import { FrameJudge } from '../frames/frameJudge.ts';
import { CompletionChecks } from './completionChecks.ts';
import { INTEREST } from './cqEvents.ts';
import { DataJudge } from '../memory/dataJudge.ts';
import { FinalSweep } from '../memory/finalSweep.ts';
import { noteStop, noteStopped } from './flushes.ts';
import { GroundlessEvents } from './groundlessEvents.ts';
import { GuardedWrites } from '../memory/ranges/guardedWrites.ts';
import { letGo } from '../rules/heldSends.ts';
import { HostWrites } from '../memory/hostWrites.ts';
import { checkLiveness, type Standstill, standstill } from './liveness.ts';
import { checkFlushes, checkLeftovers, checkReceives } from './leftovers.ts';
import { qpName } from '../model/names.ts';
import { WIDENING_NAMES } from '../model/widenings.ts';
import { Naks } from '../rules/naks.ts';
import type { ResolvedOptions, ScoreboardOptions } from '../model/options.ts';
import { CHECK_LEVEL, resolveOptions } from '../model/options.ts';
import type { Clock } from '../model/oracleState.ts';
import { OracleState } from '../model/oracleState.ts';
import { pendingOf, unflushedOf } from '../report/pending.ts';
import { Posting } from './posting.ts';
import { discardQp } from './discard.ts';
import { DrainEvents } from './drainEvents.ts';
import { Expectations } from './expectations.ts';
import { noteMayFail } from '../rules/droppedMessages.ts';
import { noteAllLeft, resumed, resuming } from '../rules/queueErrors.ts';
import type { MkeyInfo } from '../../agents/verbs/mkeyItems.ts';
import { MkeyChecks } from '../mkeys/mkeyChecks.ts';
import { AtomicChecks } from '../atomics/atomicChecks.ts';
import { PROBLEM } from '../../agents/wire/wireRules.ts';
import { Refusals } from '../rules/refusals.ts';
import { Resets, type SentRequest } from './resets.ts';
import { Retirement } from './retirement.ts';
import { SCB, type ScbId } from '../report/reportIds.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { SharedQueues } from './sharedQueues.ts';
import { Snapshots } from '../memory/snapshots.ts';
import { Transmissions } from './transmissions.ts';
import { checkAnswer } from '../rules/forbiddenReads.ts';
import { queryProblems } from '../rules/queryRules.ts';
import { ReadAnswers } from '../rules/readAnswers.ts';
import { ReadsForgotten } from '../rules/readsForgotten.ts';
import { StatusChoices } from '../rules/statusChoices.ts';
import { noteKnownShort } from '../rules/shortReceives.ts';
import { checkUnanswered } from '../rules/unansweredRequests.ts';
import { UdHeader } from './udHeader.ts';
import type { FailedAccess } from '../../agents/pcie/faults/failedAccess.ts';
import { Injections } from '../rules/injections.ts';
import { FailedReads } from '../rules/pcie/failedReads.ts';
import { UnreliableArrivals } from '../reference/unreliable/arrivals.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { noteTakesNothing, noteDeregistration } from '../rules/deregistrations.ts';
import { noteAccepted } from '../rules/takenReceives.ts';
import { noteDue } from '../rules/undelivered.ts';
import { Waits } from './waits.ts';
import { WriteGuard } from '../memory/ranges/writeGuard.ts';
import { aCommand, aQueuePair } from '../../rdma/subjectParts.ts';

/** Type of an acknowledgement that says that no receive is posted. */
const RNR_NAK = SYNDROME.rnr >>> 5;
/** Service in an opcode. */
const CLASS_BITS = 0xe0;

export class Oracle implements VerbsObserver {
  readonly options: ResolvedOptions;
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #waits: Waits;
  readonly #posting: Posting;
  readonly #retirement: Retirement;
  readonly #completions: CompletionChecks;
  readonly #transmissions: Transmissions;
  readonly #arrivals: UnreliableArrivals;
  readonly #injections: Injections;
  readonly #failedReads: FailedReads;
  readonly #resets: Resets;
  readonly #refusals: Refusals;
  readonly #naks: Naks;
  readonly #drains: DrainEvents;
  readonly #groundless: GroundlessEvents;
  readonly #readAnswers: ReadAnswers;
  readonly #readsForgotten: ReadsForgotten;
  readonly #shared: SharedQueues;
  readonly #sweep: FinalSweep;
  readonly #atomics: AtomicChecks;
  readonly #mkeys: MkeyChecks;
  /** What software writes through NICs at this moment: what it has opened. */
  readonly #copies = new Map<DataWritten, number>();
  readonly #hostWrites: HostWrites;
  /** What raw packet queue pairs send and receive. */
  readonly frames: FrameJudge;
  readonly #statusChoices: StatusChoices;
  readonly #guarding: boolean;
  /** Called when there may be something to wait for; and whether whoever is called waits already. */
  onWork: () => void = () => {};
  watching = false;

  constructor(options: ScoreboardOptions, sink: ErrorSink, clock: Clock) {
    this.options = resolveOptions(options);
    const s = new OracleState(this.options, new Findings<ScbId, Subject>(sink, this.options.maxReportsPerId), clock);
    this.#s = s;
    this.#atomics = new AtomicChecks(s);
    s.atomics = this.#atomics;
    this.#mkeys = new MkeyChecks(s);
    s.mkeys = this.#mkeys;
    s.deregisteredKeys.stops = (q, r) => noteMayFail(s, q, r);
    this.#guard = new WriteGuard(s);
    this.#waits = new Waits(s);
    const snapshots = new Snapshots(s);
    this.#posting = new Posting(s, this.#guard, this.#waits, snapshots);
    this.#retirement = new Retirement(s, this.#guard, new DataJudge(s), new UdHeader(s));
    const expectations = new Expectations(s, this.#guard, (q) => this.#posting.holdsForbidden(q));
    this.#posting.arrives = (dest, r) => expectations.message(dest, r, s.clock.now, null);
    this.#arrivals = new UnreliableArrivals(s, expectations);
    this.#posting.rights.onGranted = (r) => this.#arrivals.granted(r);
    this.#failedReads = new FailedReads(s);
    this.#injections = new Injections(s, this.#arrivals);
    this.#transmissions = new Transmissions(s, this.#waits, this.#arrivals);
    this.#resets = new Resets(s);
    this.#refusals = new Refusals(s);
    this.#naks = new Naks(s);
    this.#drains = new DrainEvents(s);
    this.#groundless = new GroundlessEvents(s.qps, s.reporter, s.fatalEvents);
    this.#readAnswers = new ReadAnswers(s);
    this.#readsForgotten = new ReadsForgotten(s);
    this.#shared = new SharedQueues(s);
    this.#completions = new CompletionChecks(
      s,
      this.#retirement,
      this.#transmissions,
      this.#refusals,
      this.#naks,
      this.#failedReads,
      this.#shared,
    );
    s.cqOverflows.onMayOverflow = (host, cqn) => this.#mayOverflow(host, cqn);
    this.#sweep = new FinalSweep(s, this.#guard.areas);
    this.#hostWrites = new HostWrites(s, snapshots);
    this.frames = new FrameJudge(s, this.#guard);
    this.#statusChoices = new StatusChoices(this.options.profiles);
    this.#guarding = this.options.level >= CHECK_LEVEL.full;
  }

  /** Judgements made so far: completions, comparisons of data, and events of lost devices. */
  get checks(): number {
    return this.#s.checks;
  }

  /** True when nothing was judged: the run proves nothing. */
  get vacuous(): boolean {
    return this.#s.checks === 0;
  }

  /** Comparisons left undecided because outstanding requests shared the bytes. */
  get undecided(): number {
    return this.#s.undecided;
  }

  /** Atomics that were posted, and searches for their order that ended undecided. */
  get atomics(): AtomicChecks['counts'] {
    return this.#atomics.counts;
  }

  /** Whether any request was posted with inline data. */
  get inlinePosted(): boolean {
    return this.#s.inlinePosted;
  }

  /** How long requests have waited for their first packet; see `Waits`. */
  get waits(): Pick<Waits, 'longest' | 'lines'> {
    return this.#waits;
  }

  /** How often a verdict depended on each widening, by its name; all of them. */
  get widenings(): Readonly<Record<string, number>> {
    const { widenings, options } = this.#s;
    const ofTransport = options.wire.certainty?.widenings;
    return Object.fromEntries(WIDENING_NAMES.map((name) => [name, widenings.of(name) + (ofTransport?.of(name) ?? 0)]));
  }

  /** Rows with these names widen nothing any more, here and in the rules of the transport. */
  switchOff(names: readonly string[]): void {
    const { widenings, options } = this.#s;
    for (const rows of [widenings, options.wire.certainty?.widenings]) rows?.switchOff(names);
  }

  /** Completions that must still come. */
  get outstanding(): number {
    return this.#s.outstanding;
  }

  /** Whether anything is awaited of a NIC: completions, or that it says that a send queue is drained. */
  get awaits(): boolean {
    return this.#s.outstanding > 0 || this.#drains.any;
  }

  // ---- states of queue pairs

  qpInInit(info: QpInfo): void {
    // What was sent to it before it was there has not begun in any of its receives.
    const q = this.#s.qps.made(info);
    q.state.end(this.#s.clock.now, QP_STATE.init);
    this.#s.partialMessages.delete(q);
    this.#s.errorEvents.made(info.host, info.qpn);
    this.#s.fatalEvents.made(info.host, info.qpn);
    this.#groundless.anew(info.host, info.qpn);
  }

  qpToRtr(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (q.exists) this.#begin(q, QP_STATE.rtr);
    this.#groundless.toRtr(host, qpn);
  }

  qpInRtr(info: QpInfo): void {
    this.#ready(info, QP_STATE.rtr);
  }

  /** In which of RTR and RTS it receives something now is not known. */
  qpToRts(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (q.exists) this.#begin(q, QP_STATE.rts);
  }

  qpInRts(info: QpInfo): void {
    this.#ready(info, QP_STATE.rts);
  }

  qpModifying(host: number, qpn: number): void {
    this.#failedReads.asks(host, qpn, true);
    this.#groundless.changes(host, qpn);
  }

  qpModified(host: number, qpn: number): void {
    this.#failedReads.asks(host, qpn, false);
    this.#groundless.changes(host, qpn);
  }

  qpQuerying(host: number, qpn: number): void {
    this.#failedReads.asks(host, qpn, true);
  }

  /** The query has ended, in whatever way. */
  qpAsked(host: number, qpn: number): void {
    this.#failedReads.asks(host, qpn, false);
  }

  qpQueried(query: QpQuery): void {
    const { host, qpn, sqPsn, rqPsn } = query.now;
    const { wire, profiles } = this.options;
    const q = this.#s.qps.find(host, qpn);
    // An unreliable connection goes back to what comes once more, and forward to what comes too soon.
    const steady = q.type !== QP_TYPE.uc || !this.#s.disturbances.has(q);
    const received = steady ? wire.requestsTo(host, qpn, rqPsn) : -1;
    const unsentSucceed = profiles.of(host).choices.tooLongDatagram === WC_STATUS.success;
    const seen = { sent: wire.requestsFrom(host, qpn, sqPsn), received, unsentSucceed };
    const problems = queryProblems(query, seen);
    if (problems.length === 0) return;
    this.#s.reporter.error(SCB.queryQp, () => `${qpName(q)}: ${problems.join('; ')}`, [
      aQueuePair(host, qpn),
      aCommand(host, 'QUERY_QP'),
    ]);
  }

  /** If it changes what it permits, what is outstanding or posted until then may be refused or not. */
  qpChanging(info: QpInfo): void {
    this.#posting.changing(info);
    // By its old Q_Key or by the new one: what is on its way to it may be dropped.
    if (info.type === QP_TYPE.ud) this.#retirement.abandonInbound(this.#s.qps.ensure(info.host, info.qpn));
  }

  qpChanged(info: QpInfo): void {
    this.#posting.changed(info);
  }

  /** Its outstanding work may be flushed. */
  qpToErr(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    this.#stops(q, host, qpn);
    this.#begin(q, QP_STATE.err);
    this.#s.broken.add(q);
    noteStop(this.#s, q);
    this.onWork();
  }

  /** What is left on a working queue pair will never be used. */
  qpDestroying(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    checkReceives(this.#s, q);
    checkFlushes(this.#s, q);
    this.#shared.leaves(q);
    this.#stops(q, host, qpn);
    this.#begin(q, QP_STATE.reset);
    this.onWork();
  }

  /** What it has not flushed by now it never will. */
  qpToReset(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    noteDue(this.#s, q);
    checkFlushes(this.#s, q);
    this.#shared.leaves(q);
    // What it has taken from a shared queue comes back as flushed.
    if (q.rq.isShared) q.mayFail();
    this.#begin(q, QP_STATE.reset);
    this.#failedReads.leaves(q);
    this.#s.errorEvents.stopped(host, qpn);
    this.#s.fatalEvents.stopped(host, qpn);
    this.#readsForgotten.leaves(q);
  }

  /** What is sent to it from now on comes to nothing. */
  qpInErr(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    // What was read while the command was under way came to nothing.
    this.#failedReads.leaves(q);
    letGo(this.#s, q, QP_STATE.err);
    q.state.end(this.#s.clock.now, QP_STATE.err);
    noteStopped(this.#s, q);
  }

  qpDrainAsked(host: number, qpn: number): void {
    this.#groundless.drainAsked(host, qpn);
  }

  qpDrainRefused(host: number, qpn: number): void {
    this.#groundless.drainRefused(host, qpn);
  }

  qpDraining(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    this.#drains.begin(q);
    this.onWork();
  }

  qpInSqd(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (q.exists) q.state.end(this.#s.clock.now, QP_STATE.sqd);
  }

  qpOutOfSqd(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (q.exists) letGo(this.#s, q, QP_STATE.rts);
  }

  qpResuming(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    this.#drains.end(q);
    if (q.isDraining && !q.state.isOpen) this.#begin(q, QP_STATE.rts);
    resuming(this.#s, q);
  }

  qpOutOfSqe(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    this.#drains.end(q);
    resumed(this.#s, q);
    // Of one that was to be drained, and that an error has stopped.
    letGo(this.#s, q, QP_STATE.rts);
  }

  /** Its outstanding work will never complete. */
  qpGone(host: number, qpn: number): void {
    this.#groundless.anew(host, qpn);
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return;
    this.#failedReads.leaves(q);
    this.#readsForgotten.leaves(q);
    noteTakesNothing(this.#s, q);
    // Software of its peers may hear of that only after it has refused what does not fit.
    noteKnownShort(q, NO_RECEIVE, this.options.profiles);
    this.#drains.end(q);
    this.#arrivals.forget(q);
    this.#shared.forget(q);
    discardQp(this.#s, this.#retirement, q);
  }

  #ready(info: QpInfo, state: QpState): void {
    this.#posting.ready(this.#s.qps.ready(info, state, this.#s.clock.now));
  }

  /** Software begins to take a queue pair to another state. */
  #begin(q: QueuePair, state: QpState): void {
    q.state.begin(state, this.#s.clock.now);
  }

  #stops(q: QueuePair, host: number, qpn: number): void {
    this.#failedReads.leaves(q);
    this.#readsForgotten.leaves(q);
    noteDue(this.#s, q);
    noteTakesNothing(this.#s, q);
    this.#drains.end(q);
    q.mayFlush();
    this.#s.errorEvents.stopped(host, qpn);
    this.#s.fatalEvents.stopped(host, qpn);
  }

  // ---- shared receive queues

  #mayOverflow(host: number, cqn: number): void {
    this.#failedReads.mayOverflow(host, cqn);
    this.#shared.mayOverflow(host, cqn);
  }

  srqCreated(info: SrqInfo): void {
    this.#shared.created(info);
  }

  srqArming(host: number, srqn: number, limit: number): void {
    this.#shared.arming(host, srqn, limit);
  }

  srqArmed(host: number, srqn: number, limit: number): void {
    this.#shared.armed(host, srqn, limit);
  }

  cqQueried(query: CqQuery): void {
    cqQueried(this.#s, query);
  }

  srqQuerying(host: number, srqn: number): void {
    this.#shared.querying(host, srqn);
  }

  srqQueried(query: SrqQuery): void {
    this.#shared.queried(query);
  }

  srqGone(host: number, srqn: number): void {
    this.#shared.gone(host, srqn);
  }

  // ---- address handles and regions

  /** Optional, for the path that the header in front of a datagram shows, and for domains. */
  ahMade(info: AhInfo): void {
    this.#s.handles.made(info);
  }

  ahGone(host: number, index: number): void {
    handleDestroyed(this.#s, host, index);
  }

  mrRegistered(info: MrInfo): void {
    this.#s.mrs.add(info);
  }

  mrDeregistering(host: number, key: number): void {
    const { mrs, requests, deregisteredKeys } = this.#s;
    this.#mkeys.regionGoing(host, key);
    noteDeregistration(this.#s, host, key);
    mrs.deregistering(host, key, requests.nextOrder);
    const region = mrs.find(host, key);
    if (region !== NO_REGION) deregisteredKeys.begins(region);
  }

  mrDeregistered({ host, key }: Pick<MrInfo, 'host' | 'key'>): void {
    this.#mkeys.regionGone(host, key);
    this.#s.mrs.deregistered(host, key, this.#s.requests.nextOrder);
  }

  mrQueried(query: MrQuery): void {
    mrQueried(this.#s, query);
  }

  mrKept(host: number, key: number): void {
    this.#mkeys.regionKept(host, key);
    this.#s.mrs.opened(host, key, this.#s.requests.nextOrder);
  }

  mkeyMade(info: MkeyInfo): void {
    this.#mkeys.made(info);
  }

  mkeyGoing(host: number, key: number): void {
    this.#mkeys.going(host, key);
  }

  mkeyGone(host: number, key: number): void {
    this.#mkeys.gone(host, key);
  }

  // ---- work

  postedSend(item: PostedSend): void {
    this.#s.errorEvents.posted(item.host, item.qpn);
    this.#posting.send(item);
    if (this.watching !== true) this.onWork();
  }

  postedRecv(item: PostedRecv): void {
    this.#s.errorEvents.posted(item.host, item.qpn);
    this.#posting.recv(item);
  }

  completion(visible: VisibleCompletion): void {
    const item = this.#statusChoices.asOfModel(visible);
    this.#completions.check(item);
    // After an error there may be receives to wait for.
    if (item.wc.status === WC_STATUS.success) return;
    this.#groundless.failed(item.host, item.wc.qpn);
    this.onWork();
  }

  // ---- raw packet queue pairs

  rawQpToInit(info: RawQpInfo): void {
    this.frames.made(info);
  }

  rawQpInRtr(host: number, qpn: number): void {
    this.frames.opened(host, qpn);
  }

  rawQpStopping(host: number, qpn: number): void {
    this.frames.stopping(host, qpn);
  }

  rawQpGone(host: number, qpn: number): void {
    this.frames.gone(host, qpn);
  }

  rawSendPosted(item: PostedSend): void {
    this.frames.sendPosted(item);
  }

  rawRecvPosted(item: PostedRecv): void {
    this.frames.recvPosted(item);
  }

  rawCompletion(item: VisibleCompletion): void {
    this.frames.completion(item);
    const interest = item.wc.status === WC_STATUS.success ? INTEREST.none : INTEREST.solicited;
    if (this.#s.cqEvents.watching) this.#s.cqEvents.completed(item.host, item.cqn, interest);
  }

  // ---- memory

  /** Checks every DMA write of a host's NIC that has reached memory. */
  writesOf(host: number): GuardedWrites {
    return new GuardedWrites(this.#guard, host, this.#guarding);
  }

  dataWriting(item: DataWritten): void {
    const { host, process, hi, lo, length, throughNic = false } = item;
    if (this.options.level >= CHECK_LEVEL.memory) this.#hostWrites.begin(host, process, hi, lo, length);
    if (throughNic && this.#guarding) this.#copies.set(item, this.#guard.openRange(host, process, hi, lo, length));
  }

  dataWritten(item: DataWritten): void {
    const { host, process, hi, lo, length } = item;
    const block = this.#copies.get(item);
    if (block !== undefined) this.#guard.closeBlock(block);
    this.#copies.delete(item);
    if (this.options.level >= CHECK_LEVEL.memory) this.#hostWrites.note(host, process, hi, lo, length);
  }

  areaOpened(area: AreaItem): void {
    if (!this.#guarding) return;
    const { host, kind, hi, lo, length, id, offset, ringBytes, entryBytes, continues, start } = area;
    this.#guard.areas.allow(host, kind, hi, lo, length, id, offset, ringBytes, entryBytes, continues, start);
    this.#guard.areasChanged(host, hi, lo, length);
  }

  /** Closes every area that overlaps the range. */
  areaClosed({ host, hi, lo, length }: Pick<AreaItem, 'host' | 'hi' | 'lo' | 'length'>): void {
    if (!this.#guarding) return;
    this.#guard.areas.forbid(host, hi, lo, length);
    this.#guard.areasChanged(host, hi, lo, length);
  }

  // ---- packets and events

  /** A packet was seen on the wire. @returns the tag that its frame is to carry, 0 = none */
  packet(packet: WirePacket): number {
    const tag = this.#transmissions.packet(packet);
    if (this.#s.devices.any) this.#resets.packet(packet);
    if (this.#failedReads.any) this.#sentAgain(packet);
    if (packet.framesBetween > 0) this.#waits.paused(packet);
    if (packet.answersRead === true) this.#readAnswers.check(packet);
    if (packet.readsBehind >= 0) this.#readsForgotten.asked(packet);
    else if (this.#readsForgotten.any === true) this.#readsForgotten.packet(packet);
    if (packet.beginsAnswer === true) checkAnswer(this.#s, packet);
    if (packet.unansweredSince >= 0) checkUnanswered(this.#s, packet);
    if (packet.refusesForGood === true) this.#naks.refused(packet);
    if (packet.opcode === BTH_OP.atomicAcknowledge && this.#atomics.any) this.#atomics.answer(packet);
    if (packet.opcode === BTH_OP.acknowledge && packet.syndrome > SYNDROME.ack) this.#refuses(packet);
    return tag;
  }

  /** The link repeats a READ request: a copy may come when that has been answered. */
  #asksTwice({ host, to, destQp }: WirePacket): void {
    const q = this.#s.qps.senderTo(host, to, destQp);
    if (q.exists) this.#s.askingAgain.add(q);
  }

  /** With a packet that is sent again, and one that asks for that, what its sender was about to send is thrown away. */
  #sentAgain(packet: WirePacket): void {
    const { qps } = this.#s;
    const asks = packet.opcode === BTH_OP.acknowledge && packet.syndrome > SYNDROME.ack;
    if (!packet.retransmission && !asks) return;
    for (const q of [qps.senderTo(packet.host, packet.to, packet.destQp), qps.find(packet.to, packet.destQp)])
      if (q.exists) this.#failedReads.repeated(q);
  }

  /** Fault rules of the link do something to the packet that was seen last. */
  fated(fate: PacketFate): void {
    const { packet } = fate;
    if (packet.opcode === (BTH_CLASS.rc | BTH_OP.readRequest) && fate.copies > 1) this.#asksTwice(packet);
    if ((packet.opcode & CLASS_BITS) !== BTH_CLASS.ud) this.disturbed(packet.host, packet.to, packet.destQp);
    else {
      this.#s.disturbances.add(packet.to, packet.destQp);
      this.#s.disturbances.add(packet.host, packet.sourceQp);
    }
    this.#arrivals.fated(fate);
  }

  /** What a host sends to a connected queue pair arrives otherwise, or not: also told where only the NIC's own rules read its wire. */
  disturbed(from: number, to: number, destQpn: number): void {
    const { disturbances, qps } = this.#s;
    disturbances.add(to, destQpn);
    const sender = qps.senderTo(from, to, destQpn);
    if (sender.exists) disturbances.add(sender.host, sender.qpn);
  }

  /** See `LinkTries`. */
  countsTries(tries: LinkTries): void {
    this.#s.linkTries = tries;
  }

  /** A request of a reliable connection reaches its responder in order. */
  accepted(packet: WirePacket): void {
    noteAccepted(this.#s, packet);
  }

  /** A packet that has a tag, or was changed on its way, reaches a NIC. */
  arrived(arrival: PacketArrival): void {
    if (arrival.injected) this.#injections.arrived(arrival);
    else this.#arrivals.arrived(arrival);
    const { edited } = arrival;
    // With a wrong CRC nobody takes it.
    if (edited !== null && this.#atomics.any && (edited.problems & PROBLEM.icrc) === 0) this.#atomics.altered(edited);
  }

  #refuses(packet: WirePacket): void {
    if (packet.syndrome >>> 5 === RNR_NAK) this.#refusals.refused(packet);
    else {
      this.#s.errorEvents.refused(packet);
      this.#s.fatalEvents.refused(packet);
    }
  }

  /** The software of a host is told of asynchronous events. */
  listens(host: number): void {
    this.#s.events.listen(host);
  }

  asyncEvent(item: AsyncEventItem): void {
    const { host, event, number } = item;
    const overflow = event === ASYNC_EVENT.cqErr ? this.#s.cqOverflows.happened(host, number) : undefined;
    this.#groundless.happened(item, overflow);
    if (overflow === '') this.#failedReads.overflowed(host, number);
    this.#s.events.happened(host, event, number);
    this.#shared.happened(host, event, number);
    this.#s.errorEvents.happened(host, event, number);
    this.#s.fatalEvents.happened(host, event, number);
    // A NIC that is reset before the first request leaves this event alone to be judged.
    if (event === ASYNC_EVENT.deviceFatal) this.#s.checks++;
    if (event === ASYNC_EVENT.qpFatal) this.#failedReads.fatal(this.#s.qps.find(host, number));
    if (event === ASYNC_EVENT.sqDrained) this.#drains.end(this.#s.qps.find(host, number));
  }

  cqCreated(host: number, cqn: number): void {
    this.#groundless.cqCreated(host, cqn);
  }

  cqSized(host: number, cqn: number, least: number, most: number): void {
    this.#s.cqOverflows.sized(host, cqn, least, most);
  }

  cqIndexTold(host: number, cqn: number, index: number): void {
    this.#s.cqOverflows.told(host, cqn, index);
  }

  cqFilled(host: number, cqn: number): void {
    this.#groundless.cqFilled(host, cqn);
  }

  cqArmed(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    this.#s.cqEvents.arm(host, cqn, solicitedOnly, unseen);
  }

  cqEvent(host: number, cqn: number): void {
    this.#s.cqEvents.event(host, cqn);
  }

  cqGone(host: number, cqn: number): void {
    this.#s.cqEvents.gone(host, cqn);
    this.#s.cqOverflows.gone(host, cqn);
  }

  /** A request of a NIC does not end as it should: fault rules of PCIe see to that. */
  accessFails(access: FailedAccess): void {
    this.frames.accessFails(access.host);
    if (access.kind === 'read') this.#failedReads.hit(access);
    else if (access.area === 'data') this.#s.lostWrites.add(access);
  }

  // ---- devices

  /** Its queue pairs do nothing more and owe nothing: requests of theirs are forgotten, and those of peers may have no answer. */
  deviceReset(host: number, qpns: readonly number[]): void {
    const { devices, clock, qps, disturbances, events, cqEvents, fatalEvents } = this.#s;
    devices.reset(host, clock.now);
    fatalEvents.deviceGrounded(host);
    this.frames.deviceReset(host);
    for (const qpn of qpns) {
      // What reaches it from now on comes to nothing.
      disturbances.add(host, qpn);
      const q = qps.find(host, qpn);
      if (!q.exists) continue;
      this.#stops(q, host, qpn);
      this.#begin(q, QP_STATE.reset);
    }
    events.forget(host);
    cqEvents.forget(host);
    this.onWork();
  }

  deviceSettled(host: number): void {
    this.#s.devices.of(host).settled();
  }

  deviceOpening(host: number): void {
    if (this.#s.devices.any) this.#s.devices.of(host).opens();
  }

  /** Of a NIC that has been reset: it makes a request of its host. */
  requested(host: number, request: SentRequest): void {
    this.#resets.request(host, request);
  }

  // ---- the course of a run

  /** Nothing is in flight anywhere: judges plain WRITEs, and completion events and second answers that are owed. */
  quiet(): void {
    this.#arrivals.quiet();
    if (this.#naks.flushes.any) this.#naks.flushes.quiet();
    this.#completions.quiet();
    this.#retirement.quiet();
    noteAllLeft(this.#s);
    this.#s.cqEvents.quiet();
    if (this.#s.options.wire.watches) {
      this.#s.errorEvents.quiet();
      this.#s.fatalEvents.quiet();
    }
    this.#failedReads.quiet();
    this.#s.responderResources.quiet();
    this.#readsForgotten.look();
    if (this.#shared.any) this.#shared.quiet();
    this.#atomics.quiet();
  }

  /** What every queue pair with outstanding work waits for. */
  pendingWork(): string[] {
    const s = this.#s;
    const lines: string[] = [];
    for (const q of s.qps.all) {
      if (s.outstanding === 0) break;
      lines.push(...pendingOf(s, q));
      const unflushed = unflushedOf(s, q);
      if (unflushed !== undefined) lines.push(unflushed);
    }
    return lines;
  }

  /** Looks for stuck queue pairs; cheap while nothing is outstanding. `dead`: no event is scheduled any more. */
  checkLiveness(dead = false): void {
    // First: what waits in a drained queue is the consequence.
    if (this.#naks.flushes.any) this.#naks.flushes.look();
    this.#drains.check(dead);
    checkLiveness(this.#s, dead);
  }

  /** Set when nothing that is outstanding has got on for `limit` (ps); looks at all queue pairs. */
  standstill(limit: number): Standstill | null {
    return standstill(this.#s, limit);
  }

  /** End of test: everything arrived, and memory is as it must be. */
  finish(): void {
    this.quiet();
    checkLeftovers(this.#s);
    this.#transmissions.finish();
    this.frames.finish();
    this.#s.events.finish();
    if (this.#guarding) this.#sweep.run();
    this.#s.reporter.summarise();
  }
}
