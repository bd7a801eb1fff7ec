/** The scoreboard as a component: the oracle, its reports, and the periodic look for stuck queue pairs. */

import type { AreaKind } from '../agents/verbs/hostItems.ts';
import type { AhInfo, MrInfo, PostedRecv, PostedSend, QpInfo, VisibleCompletion } from '../agents/verbs/verbsItems.ts';
import { WC_STATUS } from '../rdma/verbs.ts';
import { Component } from '../uvm/base/component.ts';
import type { EventHandler } from '../uvm/kernel/scheduler.ts';
import { REGION } from '../uvm/kernel/scheduler.ts';
import type { Run } from '../uvm/run.ts';
import type { Subscriber } from '../uvm/tlm/analysisPort.ts';
import type { CheckLevel, ScoreboardOptions } from './model/options.ts';
import { Oracle } from './checks/oracle.ts';
import { OWES } from './report/pending.ts';
import { SCB, SCB_MEANING } from './report/reportIds.ts';
import type { DmaWrite } from './memory/scoreboardMemory.ts';
import type { WirePacket } from './model/wirePacket.ts';
import { UVM_HIGH } from '../uvm/report/verbosity.ts';
import { formatTime } from '../uvm/kernel/time.ts';
import { counted } from '../uvm/report/counted.ts';

/** Looks at the queue pairs this many times within the stall time. */
const LOOKS_PER_STALL = 4;
/** Stall times without progress of anybody after which a run is given up, and how much of its work is listed. */
const STALLS_TO_GIVE_UP = 2;
const LINES_SHOWN = 4;

export class Scoreboard extends Component implements EventHandler {
  readonly #oracle: Oracle;
  #watching = false;
  #over = false;

  constructor(name: string, parent: Component | Run, options: ScoreboardOptions) {
    super(name, parent);
    this.#oracle = new Oracle(options, this, this.run.scheduler);
    const { deadlock } = this.run;
    deadlock.register('queue pairs with work', () => deadlock.first(this.pendingWork()));
  }

  /** Judgements made so far: completions and comparisons of data. */
  get checks(): number {
    return this.#oracle.checks;
  }

  /** The longest time that a request has waited for its first packet on a queue pair that had nothing else to do, ps. */
  get longestWait(): number {
    return this.#oracle.waits.longest;
  }

  /** True when nothing was judged: the verdict of the run is VACUOUS, not passed. */
  get vacuous(): boolean {
    return this.#oracle.vacuous;
  }

  /** How much is checked. */
  get level(): CheckLevel {
    return this.#oracle.options.level;
  }

  /** Whether any request was posted with inline data; false where nothing is checked. */
  get inlinePosted(): boolean {
    return this.#oracle.inlinePosted;
  }

  /** Completions that must still come. */
  get outstanding(): number {
    return this.#oracle.outstanding;
  }

  qpMade(info: QpInfo): void {
    this.#oracle.qpMade(info);
  }

  qpListening(info: QpInfo): void {
    this.#oracle.qpListening(info);
  }

  qpStarts(host: number, qpn: number): void {
    this.#oracle.qpStarts(host, qpn);
  }

  qpReady(info: QpInfo): void {
    this.#oracle.qpReady(info);
  }

  qpChanging(info: QpInfo): void {
    this.#oracle.qpChanging(info);
  }

  qpChanged(info: QpInfo): void {
    this.#oracle.qpChanged(info);
  }

  qpSilent(host: number, qpn: number): void {
    this.#oracle.qpSilent(host, qpn);
  }

  qpStopped(host: number, qpn: number, destroyed = false): void {
    this.#oracle.qpStopped(host, qpn, destroyed);
    this.#watch();
  }

  qpResets(host: number, qpn: number): void {
    this.#oracle.qpResets(host, qpn);
  }

  qpDraining(host: number, qpn: number): void {
    this.#oracle.qpDraining(host, qpn);
    this.#watch();
  }

  qpHeld(host: number, qpn: number, held: boolean): void {
    this.#oracle.qpHeld(host, qpn, held);
  }

  qpResumes(host: number, qpn: number, done: boolean): void {
    this.#oracle.qpResumes(host, qpn, done);
  }

  qpGone(host: number, qpn: number): void {
    this.#oracle.qpGone(host, qpn);
  }

  ahReady(info: AhInfo): void {
    this.#oracle.ahReady(info);
  }

  mrRegistered(info: MrInfo): void {
    this.#oracle.mrRegistered(info);
  }

  mrGone(host: number, key: number): void {
    this.#oracle.mrGone(host, key);
  }

  mrForgotten(host: number, key: number): void {
    this.#oracle.mrForgotten(host, key);
  }

  postedSend(item: PostedSend): void {
    this.#oracle.postedSend(item);
    if (this.#watching !== true) this.#watch();
  }

  postedRecv(item: PostedRecv): void {
    this.#oracle.postedRecv(item);
  }

  /** A completion became visible in host memory. */
  completion(item: VisibleCompletion): void {
    this.#oracle.completion(item);
    // After an error there may be receives to wait for.
    if (item.wc.status !== WC_STATUS.success) this.#watch();
  }

  /** To be told of every DMA write of a host's NIC that has reached memory. */
  writesOf(host: number): Subscriber<DmaWrite> {
    return this.#oracle.writesOf(host);
  }

  /** Software changes `length` bytes of data memory; to be called before the change. */
  hostWrites(host: number, process: number, hi: number, lo: number, length: number): void {
    this.#oracle.hostWrites(host, process, hi, lo, length);
  }

  /** Software changed `length` bytes of data memory; to be called after the change. */
  hostWrote(host: number, process: number, hi: number, lo: number, length: number): void {
    this.#oracle.hostWrote(host, process, hi, lo, length);
  }

  /** A well-formed packet was seen on the wire; optional, for the count of transmissions. */
  packet(packet: WirePacket): void {
    this.#oracle.packet(packet);
  }

  /** Opens an area for the NIC, or names one (`queue`, `inbox`) that it must not write; see `Oracle.allowArea`. */
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
    this.#oracle.allowArea(host, kind, hi, lo, length, id, offset, ringBytes, entryBytes, continues);
  }

  forbidArea(host: number, hi: number, lo: number, length: number): void {
    this.#oracle.forbidArea(host, hi, lo, length);
  }

  /** The software of a host is told of asynchronous events: those that its NIC owes must come. */
  listens(host: number): void {
    this.#oracle.listens(host);
  }

  asyncEvent(host: number, event: number, number: number): void {
    this.#oracle.asyncEvent(host, event, number);
  }

  /** Software has armed a completion queue, `unseen` completions of which it had not taken; see `CqEvents`. */
  cqArmed(host: number, cqn: number, solicitedOnly: boolean, unseen: number): void {
    this.#oracle.cqArmed(host, cqn, solicitedOnly, unseen);
  }

  cqEvent(host: number, cqn: number): void {
    this.#oracle.cqEvent(host, cqn);
  }

  cqGone(host: number, cqn: number): void {
    this.#oracle.cqGone(host, cqn);
  }

  /** Nothing is in flight anywhere: judges plain WRITEs, and completion events that are owed. */
  quiet(): void {
    this.#oracle.quiet();
  }

  /** What every queue pair with outstanding work waits for. */
  pendingWork(): string[] {
    return this.#oracle.pendingWork();
  }

  /** The periodic look. Ends with the work, and with the last other event, so that a deadlock stays visible. */
  fire(): void {
    this.#watching = false;
    if (this.#over) return;
    const dead = this.run.scheduler.pending === 0;
    this.#oracle.checkLiveness(dead);
    this.#giveUp(dead);
    if (!dead) this.#watch();
  }

  override extractPhase(): void {
    this.#over = true;
  }

  override checkPhase(): void {
    this.#oracle.finish();
  }

  override reportPhase(): void {
    const { checks, undecided } = this.#oracle;
    if (this.vacuous && this.level > 0) this.warning(SCB.vacuous, SCB_MEANING.SCB_VACUOUS);
    else this.info('SCB_SUMMARY', () => `${counted(checks, 'check')}, ${counted(undecided, 'comparison')} undecided`);
    for (const line of this.#oracle.waits.lines()) this.info('SCB_WAITS', () => line, UVM_HIGH);
  }

  /**
   * Ends a run in which nothing moves but time, retransmissions and retries of receiver-not-ready.
   * @param dead nothing is scheduled any more: the run ends anyhow, but what software has to do is not said there
   */
  #giveUp(dead: boolean): void {
    const limit = this.#oracle.options.stallTime * STALLS_TO_GIVE_UP;
    const found = this.#oracle.standstill(dead ? 0 : limit);
    if (found === null || (dead && (!found.software || (found.owes & OWES.resumption) === 0))) return;
    const { software, owes, lines } = found;
    const shown = lines.slice(0, LINES_SHOWN).join('; ');
    const more = lines.length > LINES_SHOWN ? `; and ${lines.length - LINES_SHOWN} more` : '';
    const since = dead ? 'nothing can happen any more' : `nothing has got on for ${formatTime(limit)}`;
    const text = `${since}, the run is given up: ${shown}${more}.${software ? hintOf(owes) : ''}`;
    const id = (owes & OWES.receive) !== 0 ? SCB.noReceive : SCB.notResumed;
    this.fatal(software ? id : SCB.stuck, text);
  }

  #watch(): void {
    const { awaits, options } = this.#oracle;
    if (!awaits || this.#watching) return;
    this.#watching = true;
    this.run.scheduler.schedule(Math.ceil(options.stallTime / LOOKS_PER_STALL), this, 0, REGION.check);
  }
}

/** What software has to do. */
function hintOf(owes: number): string {
  const receive = (owes & OWES.receive) === 0 ? '' : ' Post receives before the messages that take them.';
  const resumption = (owes & OWES.resumption) === 0 ? '' : ' Take queue pairs from SQD to RTS for what waits there.';
  return receive + resumption;
}
