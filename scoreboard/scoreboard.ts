/**
 * The judge, as a component of the environment: verdicts about a NIC from what can be seen outside of it.
 *
 * Who calls it: `env/hcaEnv.ts` builds it, `env/wiring.ts` connects `observer` with verbs, packets and DMA writes; tests tell
 * it when nothing is in flight (`quiet`). Whom it calls: the oracle (`checks/oracle.ts`), which spreads each event over the
 * rooms: `model` (what is known), `reference` (what the transport rules make of the wire), `rules` (what may become of a
 * request), `checks` (observations held against that), `memory` (bytes), `report` (ids and texts).
 *
 * What may be changed here: phases, the summary, and when a run that stands still is given up. A new check belongs to
 * `checks`, a new excuse to `rules` or `reference`, with its clause. Nothing here throws because of the NIC, takes simulated
 * time, or writes anything that a NIC or a test can see: a run is the same with and without its judge.
 */

import type { VerbsMonitor } from '../agents/verbs/verbsMonitor.ts';
import { Component } from '../uvm/base/component.ts';
import type { EventHandler, SimTime } from '../uvm/kernel/scheduler.ts';
import { REGION } from '../uvm/kernel/scheduler.ts';
import type { Run } from '../uvm/run.ts';
import { certaintyText } from './model/certainty.ts';
import { wideningText } from './model/widenings.ts';
import { CHECK_LEVEL, type CheckLevel, lengthenStall, type ScoreboardOptions } from './model/options.ts';
import { Oracle } from './checks/oracle.ts';
import { OWES } from './report/pending.ts';
import { SCB, SCB_MEANING } from './report/reportIds.ts';
import { UVM_HIGH } from '../uvm/report/verbosity.ts';
import { formatTime } from '../uvm/kernel/time.ts';
import { counted } from '../uvm/report/counted.ts';

/** Looks at the queue pairs this many times within the stall time. */
const LOOKS_PER_STALL = 4;
/** Stall times without progress of anybody after which a run is given up, and how much of its work is listed. */
const STALLS_TO_GIVE_UP = 2;
const LINES_SHOWN = 4;

/** @public */
export class Scoreboard extends Component implements EventHandler {
  readonly #oracle: Oracle;
  #over = false;

  constructor(name: string, parent: Component | Run, options: ScoreboardOptions) {
    super(name, parent);
    this.#oracle = new Oracle(options, this, this.run.scheduler);
    this.#oracle.onWork = () => this.#watch();
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

  /** Watches the verbs interface of a host. */
  observe(monitor: VerbsMonitor): void {
    if (this.observer !== null) monitor.observe(this.observer);
  }

  /** How often a verdict depended on each widening, by its name. */
  get widenings(): Readonly<Record<string, number>> {
    return this.#oracle.widenings;
  }

  /** Widenings with these names hold no more. */
  switchOff(names: readonly string[]): void {
    this.#oracle.switchOff(names);
  }

  /** Tells how often a verdict depended on each widening, and why it is open what messages lead to. */
  tellStatistics(): void {
    if (this.level === CHECK_LEVEL.off) return;
    const entries = Object.entries(this.widenings);
    for (const [name, hits] of entries)
      if (hits > 0) this.info('JUDGE_STATS', () => `${name}: ${counted(hits, 'verdict')} (${wideningText(name)})`);
    const unused = entries.filter(([, hits]) => hits === 0).map(([name]) => name);
    this.info('JUDGE_STATS', () => `no verdict depended on ${unused.join(', ')}`);
    const { certainty } = this.#oracle.options.wire;
    if (certainty === undefined || certainty.undecided === 0) return;
    const why = [...certainty.reasons].join('; ');
    this.warning('JUDGE_STATS', () => `${counted(certainty.undecided, 'message')} undecided: ${why}`);
  }

  /** What is to be told of verbs, packets and DMA writes; null where nothing is checked. */
  get observer(): Oracle | null {
    return this.level === CHECK_LEVEL.off ? null : this.#oracle;
  }

  /** From now on nothing is stuck before `stallTime` (ps): requesters find out late what the link has lost. */
  lengthenStall(stallTime: SimTime): void {
    lengthenStall(this.#oracle.options, stallTime);
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
    this.#oracle.watching = false;
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
    if (this.vacuous && this.level !== CHECK_LEVEL.off) this.warning(SCB.vacuous, SCB_MEANING.SCB_VACUOUS);
    else {
      const { certainty } = this.#oracle.options.wire;
      const certain = certainty === undefined ? '' : certaintyText(certainty);
      this.info(
        'SCB_SUMMARY',
        () => `${counted(checks, 'check')}, ${counted(undecided, 'comparison')} undecided${certain}`,
      );
    }
    this.#tellAtomics();
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
    const { software, owes, lines, about } = found;
    const shown = lines.slice(0, LINES_SHOWN).join('; ');
    const more = lines.length > LINES_SHOWN ? `; and ${lines.length - LINES_SHOWN} more` : '';
    const since = dead ? 'nothing can happen any more' : `nothing has got on for ${formatTime(limit)}`;
    const text = `${since}, the run is given up: ${shown}${more}.${software ? hintOf(owes) : ''}`;
    const id = (owes & OWES.receive) !== 0 ? SCB.noReceive : SCB.notResumed;
    this.fatal(software ? id : SCB.stuck, text, about);
  }

  #tellAtomics(): void {
    const { posted, undecided } = this.#oracle.atomics;
    if (posted === 0) return;
    const text = `${counted(posted, 'atomic')}, ${counted(undecided, 'order')} undecided`;
    this.info('SCB_ATOMICS', () => text);
  }

  #watch(): void {
    const { awaits, options } = this.#oracle;
    if (!awaits || this.#oracle.watching) return;
    this.#oracle.watching = true;
    this.run.scheduler.schedule(Math.ceil(options.stallTime / LOOKS_PER_STALL), this, 0, REGION.check);
  }
}

/** What software has to do. */
function hintOf(owes: number): string {
  const receive = (owes & OWES.receive) === 0 ? '' : ' Post receives before the messages that take them.';
  const resumption = (owes & OWES.resumption) === 0 ? '' : ' Take queue pairs from SQD to RTS for what waits there.';
  return receive + resumption;
}
