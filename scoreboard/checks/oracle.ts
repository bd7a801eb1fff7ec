/**
 * The black-box oracle: told what was posted, what became visible and what the NIC wrote, it says what is wrong.
 * Knows nothing of the DUT. Findings go to an error sink by id; nothing here throws because of the DUT.
 */

import type { AreaKind } from '../../agents/verbs/hostItems.ts';
import type {
  AhInfo,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import { BTH_OP, SYNDROME } from '../../rdma/bth.ts';
import { ASYNC_EVENT, QP_TYPE } from '../../rdma/verbs.ts';
import { type ErrorSink, Findings } from '../../uvm/report/findings.ts';
import { CompletionChecks } from './completionChecks.ts';
import { DataJudge } from '../memory/dataJudge.ts';
import { FinalSweep } from '../memory/finalSweep.ts';
import { noteStop, noteStopped } from './flushes.ts';
import { GuardedWrites } from '../memory/ranges/guardedWrites.ts';
import { hold, letGo } from '../rules/heldSends.ts';
import { HostWrites } from '../memory/hostWrites.ts';
import { checkLiveness, type Standstill, standstill } from './liveness.ts';
import { checkFlushes, checkLeftovers, checkReceives } from './leftovers.ts';
import { Naks } from '../rules/naks.ts';
import type { ResolvedOptions, ScoreboardOptions } from '../model/options.ts';
import { CHECK_LEVEL, resolveOptions } from '../model/options.ts';
import type { Clock } from '../model/oracleState.ts';
import { OracleState } from '../model/oracleState.ts';
import { pendingOf, unflushedOf } from '../report/pending.ts';
import { Posting } from './posting.ts';
import { discardQp } from './discard.ts';
import { DrainEvents } from './drainEvents.ts';
import { noteMayStop } from '../rules/droppedMessages.ts';
import { noteAllLeft, resumed, resuming } from '../rules/queueErrors.ts';
import { Refusals } from '../rules/refusals.ts';
import { Retirement } from './retirement.ts';
import type { ScbId } from '../report/reportIds.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { Snapshots } from '../memory/snapshots.ts';
import { Transmissions } from './transmissions.ts';
import { checkAnswer } from '../rules/forbiddenReads.ts';
import { ReadAnswers } from '../rules/readAnswers.ts';
import { ReadsForgotten } from '../rules/readsForgotten.ts';
import { checkSilence } from '../rules/silentPeers.ts';
import { UdHeader } from './udHeader.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { noteDeparture, noteWithdrawal } from '../rules/withdrawal.ts';
import { PLENTY, Waits } from './waits.ts';
import { WriteGuard } from '../memory/ranges/writeGuard.ts';

/** Type of an acknowledgement that says that no receive is posted. */
const RNR_NAK = SYNDROME.rnr >>> 5;

export class Oracle {
  readonly options: ResolvedOptions;
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #waits: Waits;
  readonly #posting: Posting;
  readonly #retirement: Retirement;
  readonly #completions: CompletionChecks;
  readonly #transmissions: Transmissions;
  readonly #refusals: Refusals;
  readonly #naks: Naks;
  readonly #drains: DrainEvents;
  readonly #readAnswers: ReadAnswers;
  readonly #readsForgotten: ReadsForgotten;
  readonly #sweep: FinalSweep;
  readonly #hostWrites: HostWrites;
  /** Compared with `true` where every request passes: a bare test asks whether the field is 0, '' or null as well. */
  readonly #on: boolean;
  readonly #guarding: boolean;

  constructor(options: ScoreboardOptions, sink: ErrorSink, clock: Clock) {
    this.options = resolveOptions(options);
    const s = new OracleState(this.options, new Findings<ScbId>(sink, this.options.maxReportsPerId), clock);
    this.#s = s;
    s.withdrawnKeys.stops = (q, r) => noteMayStop(s, q, r);
    this.#guard = new WriteGuard(s);
    this.#waits = new Waits(s);
    const snapshots = new Snapshots(s);
    this.#posting = new Posting(s, this.#guard, this.#waits, snapshots);
    this.#retirement = new Retirement(s, this.#guard, new DataJudge(s), new UdHeader(s));
    this.#transmissions = new Transmissions(s, this.#waits);
    this.#refusals = new Refusals(s);
    this.#naks = new Naks(s);
    this.#drains = new DrainEvents(s);
    this.#readAnswers = new ReadAnswers(s);
    this.#readsForgotten = new ReadsForgotten(s);
    this.#completions = new CompletionChecks(s, this.#retirement, this.#transmissions, this.#refusals, this.#naks);
    this.#sweep = new FinalSweep(s, this.#guard.areas);
    this.#hostWrites = new HostWrites(s, snapshots);
    this.#on = this.options.level > CHECK_LEVEL.off;
    this.#guarding = this.options.level >= CHECK_LEVEL.full;
  }

  /** Judgements made so far: completions and comparisons of data. */
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

  /** Whether any request was posted with inline data. */
  get inlinePosted(): boolean {
    return this.#s.inlinePosted;
  }

  /** How long requests have waited for their first packet; see `Waits`. */
  get waits(): Pick<Waits, 'longest' | 'lines'> {
    return this.#waits;
  }

  /** Completions that must still come. */
  get outstanding(): number {
    return this.#s.outstanding;
  }

  /** Whether anything is awaited of a NIC: completions, or that it says that a send queue is drained. */
  get awaits(): boolean {
    return this.#s.outstanding > 0 || this.#drains.any;
  }

  /** A queue pair reached INIT, where receives can be posted. */
  qpMade(info: QpInfo): void {
    if (!this.#on) return;
    // What was sent to it before it was there has not begun in any of its receives.
    this.#s.beginnings.delete(this.#s.qps.made(info));
    this.#s.errorEvents.made(info.host, info.qpn);
  }

  /** A queue pair reached RTR, where it receives and answers. */
  qpListening(info: QpInfo): void {
    this.qpReady(info);
    if (this.#on) this.#s.qps.listens(this.#s.qps.find(info.host, info.qpn), this.#s.clock.now);
  }

  /** Software begins to take a queue pair from RTR to RTS: in which of them it receives something now is not known. */
  qpStarts(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (this.#on && q >= 0) this.#s.qps.listensNoMore(q);
  }

  /** A queue pair reached RTS. */
  qpReady(info: QpInfo): void {
    if (this.#on) this.#posting.ready(this.#s.qps.ready(info));
  }

  /** Software changes a queue pair. If it changes what that permits, what is outstanding or posted until then may be refused or not. */
  qpChanging(info: QpInfo): void {
    if (!this.#on) return;
    this.#posting.changes(info, true);
    // By its old Q_Key or by the new one: what is on its way to it may be dropped.
    if (info.type === QP_TYPE.ud) this.#retirement.abandonInbound(this.#s.qps.ensure(info.host, info.qpn));
  }

  /** The NIC has taken the change. */
  qpChanged(info: QpInfo): void {
    if (this.#on) this.#posting.changes(info, false);
  }

  /**
   * Software takes a queue pair to the error state: its outstanding work may be flushed.
   * @param destroyed it does so to destroy it, so that what is left on a working queue pair will never be used
   */
  qpStopped(host: number, qpn: number, destroyed = false): void {
    const q = this.#s.qps.find(host, qpn);
    if (!this.#on || q < 0) return;
    if (destroyed) {
      checkReceives(this.#s, q);
      checkFlushes(this.#s, q);
    }
    this.#readsForgotten.leaves(q);
    noteDeparture(this.#s, q);
    this.#drains.end(q);
    this.#s.qps.mayFlush(q);
    this.#s.errorEvents.stopped(host, qpn);
    if (destroyed) return;
    this.#s.broken.add(q);
    noteStop(this.#s, q);
  }

  /** Software is about to reset a queue pair: what it has not flushed by now it never will. */
  qpResets(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!this.#on || q < 0) return;
    checkFlushes(this.#s, q);
    this.#s.qps.resets(q);
    this.#s.errorEvents.stopped(host, qpn);
    this.#readsForgotten.leaves(q);
  }

  /** The NIC has taken a queue pair to the error state, as software asked: what is sent to it from now on comes to nothing. */
  qpSilent(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (!this.#on || q < 0) return;
    this.#s.qps.dead(q);
    noteStopped(this.#s, q);
  }

  /** The NIC has been told to drain a queue pair and to say when that is done, and has not said so yet. */
  qpDraining(host: number, qpn: number): void {
    const q = this.#s.qps.find(host, qpn);
    if (this.#on && q >= 0) this.#drains.begin(q);
  }

  /** The NIC has taken a queue pair to SQD (`held`), or from there to another state. */
  qpHeld(host: number, qpn: number, held: boolean): void {
    const q = this.#s.qps.find(host, qpn);
    if (!this.#on || q < 0) return;
    if (held) hold(this.#s, q);
    else letGo(this.#s, q);
  }

  /** Software takes a queue pair out of SQD or SQE. @param done the NIC has taken it out of SQE */
  qpResumes(host: number, qpn: number, done: boolean): void {
    const q = this.#s.qps.find(host, qpn);
    if (!this.#on || q < 0) return;
    this.#drains.end(q);
    if (done) resumed(this.#s, q);
    else resuming(this.#s, q);
  }

  /** A queue pair was destroyed or reset: its outstanding work will never complete. */
  qpGone(host: number, qpn: number): void {
    if (!this.#on) return;
    const q = this.#s.qps.find(host, qpn);
    if (q < 0) return;
    this.#readsForgotten.leaves(q);
    noteDeparture(this.#s, q);
    this.#drains.end(q);
    discardQp(this.#s, this.#retirement, q);
  }

  /** An address handle was made; optional, for the path that the header in front of a datagram shows. */
  ahReady({ host, index, path }: AhInfo): void {
    const paths = this.#s.datagramPaths[host] ?? [];
    paths[index] = path;
    this.#s.datagramPaths[host] = paths;
  }

  mrRegistered(info: MrInfo): void {
    if (this.#on) this.#s.mrs.add(info);
  }

  /** Software begins to deregister a region. */
  mrGone(host: number, key: number): void {
    if (!this.#on) return;
    noteWithdrawal(this.#s, host, key);
    const region = this.#s.mrs.find(host, key);
    if (region !== NO_REGION) this.#s.withdrawnKeys.begins(region);
    this.#s.mrs.goes(host, key);
  }

  /** The NIC has forgotten it. */
  mrForgotten(host: number, key: number): void {
    if (!this.#on) return;
    this.#s.withdrawnKeys.ends(host, key);
    this.#s.mrs.forget(host, key);
  }

  postedSend(item: PostedSend): void {
    if (this.#on !== true) return;
    this.#s.errorEvents.posted(item.host, item.qpn);
    this.#posting.send(item);
  }

  postedRecv(item: PostedRecv): void {
    if (this.#on !== true) return;
    this.#s.errorEvents.posted(item.host, item.qpn);
    this.#posting.recv(item);
  }

  /** A completion became visible in host memory. */
  completion(item: VisibleCompletion): void {
    if (this.#on === true) this.#completions.check(item);
  }

  /** Checks every DMA write of a host's NIC that has reached memory. */
  writesOf(host: number): GuardedWrites {
    return new GuardedWrites(this.#guard, host, this.#guarding);
  }

  /** Software changes `length` bytes of data memory; to be called before the change. */
  hostWrites(host: number, process: number, hi: number, lo: number, length: number): void {
    if (this.options.level >= CHECK_LEVEL.memory) this.#hostWrites.begin(host, process, hi, lo, length);
  }

  /** Software changed `length` bytes of data memory; to be called after the change. */
  hostWrote(host: number, process: number, hi: number, lo: number, length: number): void {
    if (this.options.level >= CHECK_LEVEL.memory) this.#hostWrites.note(host, process, hi, lo, length);
  }

  /** A packet was seen on the wire; optional, for the counts of transmissions and of refusals. */
  packet(packet: WirePacket): void {
    if (this.#on !== true) return;
    this.#transmissions.packet(packet);
    if (packet.framesBetween > PLENTY) this.#waits.paused(packet);
    if (packet.answersRead === true) this.#readAnswers.check(packet);
    if (packet.readsBehind >= 0) this.#readsForgotten.asked(packet);
    else if (this.#readsForgotten.any === true) this.#readsForgotten.packet(packet);
    if (packet.beginsAnswer === true) checkAnswer(this.#s, packet);
    if (packet.unansweredSince >= 0) checkSilence(this.#s, packet);
    if (packet.refusesForGood === true) this.#naks.refused(packet);
    if (packet.opcode === BTH_OP.acknowledge && packet.syndrome > SYNDROME.ack) this.#refuses(packet);
  }

  #refuses(packet: WirePacket): void {
    if (packet.syndrome >>> 5 === RNR_NAK) this.#refusals.refused(packet);
    else this.#s.errorEvents.refused(packet);
  }

  /**
   * Opens (or, for `queue` and `inbox`, merely names) a physically contiguous area.
   * @param id number of the queue, so that pieces on several pages form one ring; -1 = the area is a ring by itself
   * @param offset position of this piece in the ring, bytes
   * @param ringBytes size of the whole ring
   * @param entryBytes size of a completion queue's entry, of which whole ones must be written; 1 = any number of bytes
   * @param continues a completion queue goes on in this ring, and has had another one so far
   */
  allowArea(
    host: number,
    kind: AreaKind,
    hi: number,
    lo: number,
    length: number,
    id = -1,
    offset = 0,
    ringBytes = length,
    entryBytes = 1,
    continues = false,
  ): void {
    if (!this.#guarding) return;
    this.#guard.areas.allow(host, kind, hi, lo, length, id, offset, ringBytes, entryBytes, continues);
    this.#guard.areasChanged(host, hi, lo, length);
  }

  /** Closes every area that overlaps the range. */
  forbidArea(host: number, hi: number, lo: number, length: number): void {
    if (!this.#guarding) return;
    this.#guard.areas.forbid(host, hi, lo, length);
    this.#guard.areasChanged(host, hi, lo, length);
  }

  /** The software of a host is told of asynchronous events. */
  listens(host: number): void {
    this.#s.events.listen(host);
  }

  /** An asynchronous event (`ASYNC_EVENT`) reached a host. */
  asyncEvent(host: number, event: number, number: number): void {
    this.#s.events.happened(host, event, number);
    if (this.#on) this.#s.errorEvents.happened(host, event, number);
    if (event === ASYNC_EVENT.sqDrained) this.#drains.end(this.#s.qps.find(host, number));
  }

  /** Software has armed a completion queue; see `CqEvents.arm`. */
  cqArmed(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    if (this.#on) this.#s.cqEvents.arm(host, cqn, solicitedOnly, unseen);
  }

  /** A completion event reached a host. */
  cqEvent(host: number, cqn: number): void {
    this.#s.cqEvents.event(host, cqn);
  }

  cqGone(host: number, cqn: number): void {
    this.#s.cqEvents.gone(host, cqn);
  }

  /** Nothing is in flight anywhere: judges plain WRITEs, and completion events and second answers that are owed. */
  quiet(): void {
    if (!this.#on) return;
    this.#retirement.quiet();
    noteAllLeft(this.#s);
    this.#s.cqEvents.quiet();
    if (this.#transmissions.fed) this.#s.errorEvents.quiet();
    this.#readsForgotten.look();
  }

  /** What every queue pair with outstanding work waits for. */
  pendingWork(): string[] {
    const s = this.#s;
    const lines: string[] = [];
    for (let i = 0; s.outstanding > 0 && i < s.qps.count; i++) {
      const q = s.qps.at(i);
      lines.push(...pendingOf(s, q));
      const unflushed = unflushedOf(s, q);
      if (unflushed !== undefined) lines.push(unflushed);
    }
    return lines;
  }

  /** Looks for stuck queue pairs; cheap while nothing is outstanding. `dead`: no event is scheduled any more. */
  checkLiveness(dead = false): void {
    if (!this.#on) return;
    // First: what waits in a drained queue is the consequence.
    this.#drains.check(dead);
    checkLiveness(this.#s, dead);
  }

  /** Set when nothing that is outstanding has got on for `limit` (ps); looks at all queue pairs. */
  standstill(limit: number): Standstill | null {
    return this.#on ? standstill(this.#s, limit) : null;
  }

  /** End of test: everything arrived, and memory is as it must be. */
  finish(): void {
    if (!this.#on) return;
    this.quiet();
    checkLeftovers(this.#s);
    this.#transmissions.finish();
    this.#s.events.finish();
    if (this.#guarding) this.#sweep.run();
    this.#s.reporter.summarise();
  }
}
