/**
 * Plays the fault rules of a run on its link.
 *
 * Every rule that selects a frame acts on it, in the order of the rules; a frame that one of them loses is lost, whatever the
 * others do. Faults sit on the cable of the sender. What was done is kept for the record, with the draws of random rules.
 */

import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../../uvm/random/randomStream.ts';
import type { LinkFaultHook } from '../linkFaults.ts';
import { LinkVerdict } from '../linkFaults.ts';
import type { FrameItem } from '../linkItems.ts';
import { FrameEdits } from './edit/frameEdits.ts';
import { HeaderEdits } from './edit/headerEdits.ts';
import { type HostEffects, RecoveryMeter } from './effects/recoveryMeter.ts';
import type { FaultPlan } from './faultPlan.ts';
import { FrameView } from './frame/frameView.ts';
import type { QpDirectory } from './frame/qpDirectory.ts';
import { ActiveRule, type Firing, type RuleNumber } from './play/activeRule.ts';
import type { SourcedRule } from './rule/faultRule.ts';
import { parseRule } from './rule/parseRule.ts';
import { ruleText } from './rule/ruleText.ts';

/** What an injector works with. */
export interface InjectorParts {
  readonly plan: FaultPlan;
  readonly bytes: ByteStore;
  readonly directory: QpDirectory;
  /** Frames that a host has sent so far, the one that is judged included. */
  readonly sentFrames: (host: number) => number;
  /** A stream of its own for each purpose. */
  readonly random: (purpose: string, ordinal: number) => FastStream;
}

/** A frame that a rule would hit, or one of a census. */
export interface FaultHit {
  readonly host: number;
  readonly to: number;
  readonly ordinal: number;
  readonly time: SimTime;
  /** -1 for a frame that is no RoCEv2. */
  readonly opcode: number;
  readonly psn: number;
  /** Number of the queue pair that sends it; -1 where it is not known. */
  readonly qpn: number;
}

/** What a rule did in a run. */
export interface RuleOutcome {
  readonly text: string;
  /** See `RuleSource`. */
  readonly source: string;
  readonly matched: number;
  readonly fired: number;
  readonly mustFire: boolean;
  /** What a random rule did, as rules of single frames; null for one that chance has no part in, or that did too much. */
  readonly schedule: readonly string[] | null;
  /** Only where rules are explained. */
  readonly hits: readonly FaultHit[];
}

/** What faults did in a run, and what that led to. */
export interface FaultOutcome {
  readonly rules: readonly RuleOutcome[];
  readonly hosts: readonly HostEffects[];
  /** Every frame in the order in which they were sent; only where the plan asks for a census. */
  readonly frames?: readonly FaultHit[];
}

/** More firings of a rule are not kept: the seed repeats them as well. */
const MOST_FIRINGS = 100_000;

export class FaultInjector implements LinkFaultHook {
  readonly #parts: InjectorParts;
  readonly #rules: ActiveRule[] = [];
  readonly #hits: FaultHit[][] = [];
  readonly #census: FaultHit[] | null;
  readonly #view: FrameView;
  readonly #arrival: FrameView;
  readonly #edits: FrameEdits;
  readonly #headerEdits: HeaderEdits;
  readonly #meter = new RecoveryMeter();
  /** Where rules are explained: what they would decide, and nobody does. */
  readonly #idle = new LinkVerdict();
  /** Rules that acted on the frame that was judged last. */
  #acted: ActiveRule[] = [];

  constructor(parts: InjectorParts) {
    this.#parts = parts;
    const { bytes, directory, plan } = parts;
    this.#view = new FrameView(bytes, directory);
    this.#arrival = new FrameView(bytes, directory);
    this.#edits = new FrameEdits(bytes);
    this.#headerEdits = new HeaderEdits(bytes);
    this.#census = plan.census === true ? [] : null;
    for (const rule of plan.rules) this.add(rule);
  }

  /** A rule acts from now on, after all others. */
  add(sourced: SourcedRule): ActiveRule {
    const { plan, random } = this.#parts;
    const number = this.#rules.length as RuleNumber;
    const text = ruleText(sourced.rule);
    // By its text: rules that come or go elsewhere change no draws of this one.
    const ordinal = this.#rules.filter((rule) => rule.text === text).length;
    const rule = new ActiveRule({
      number,
      sourced,
      end: plan.until,
      random: random(`fault ${text}`, ordinal),
      headerEdits: this.#headerEdits,
      schedule: scheduleOf(plan, number),
    });
    this.#rules.push(rule);
    this.#hits.push([]);
    return rule;
  }

  judge(item: FrameItem, verdict: LinkVerdict): void {
    const view = this.#view;
    view.look(item, this.#parts.sentFrames(item.host));
    const { explain } = this.#parts.plan;
    this.#census?.push(this.#seen());
    this.#edits.clear();
    if (this.#acted.length > 0) this.#acted = [];
    const decided = explain ? this.#idle : verdict;
    const frame = { view, item, verdict: decided, edits: this.#edits };
    for (let i = 0; i < this.#rules.length; i++) {
      const rule = this.#rules[i] as ActiveRule;
      if (!rule.wants(view) || !rule.act(frame)) continue;
      this.#acted.push(rule);
      if (explain) this.#hits[i]?.push(this.#seen());
    }
    if (explain) decided.clear();
    else this.#settle(verdict);
    this.#meter.sent(view, verdict.drop || verdict.damaged);
  }

  arrived(item: FrameItem, damaged: boolean): void {
    if (damaged) return;
    this.#arrival.lookAtArrival(item);
    this.#meter.arrived(this.#arrival);
  }

  because(): string {
    return this.#acted.map(({ text }) => `'${text}'`).join(' and ');
  }

  /** Times that rules have acted. */
  get fired(): number {
    return this.#rules.reduce((sum, rule) => sum + rule.fired, 0);
  }

  /** Rules that have not fired though they must. */
  get unfired(): readonly ActiveRule[] {
    return this.#rules.filter((rule) => rule.mustFire && rule.fired === 0);
  }

  /** What was done so far, and what it led to. */
  outcome(): FaultOutcome {
    const rules = this.#rules.map((rule, i) => ({
      text: rule.text,
      source: rule.sourced.source,
      matched: rule.matched,
      fired: rule.fired,
      mustFire: rule.mustFire,
      schedule: rule.isRandom && rule.firings.length <= MOST_FIRINGS ? rule.firings.map(firingText) : null,
      hits: this.#hits[i] as FaultHit[],
    }));
    const outcome = { rules, hosts: this.#meter.effects() };
    return this.#census === null ? outcome : { ...outcome, frames: this.#census };
  }

  /** A lost frame is neither late nor repeated nor changed. */
  #settle(verdict: LinkVerdict): void {
    if (verdict.drop) {
      verdict.clear();
      verdict.drop = true;
    } else if (!this.#edits.isEmpty) verdict.edit = this.#edits;
  }

  /** The frame that is looked at. */
  #seen(): FaultHit {
    const { host, to, ordinal, time, headers: h, sender } = this.#view;
    const what = h.isRoce ? { opcode: h.opcode, psn: h.psn } : { opcode: -1, psn: -1 };
    return { host, to, ordinal, time, ...what, qpn: sender?.qpn ?? -1 };
  }
}

/** As a rule of one frame. */
function firingText({ host, ordinal, action }: Firing): string {
  const frame: readonly (readonly [number, number])[] = [[ordinal, ordinal]];
  return ruleText({ action, select: { host: [[host, host]], frame }, optional: false });
}

/** What a rule did in the run that is replayed. */
function scheduleOf({ schedules }: FaultPlan, number: RuleNumber): readonly Firing[] | null {
  const texts = schedules?.[number] ?? null;
  return texts === null ? null : texts.map(parseFiring);
}

function parseFiring(text: string): Firing {
  const { rule } = parseRule(text);
  const host = rule?.select.host?.[0]?.[0];
  const ordinal = rule?.select.frame?.[0]?.[0];
  if (rule === undefined || host === undefined || ordinal === undefined)
    throw new Error(`"${text}" is no rule of one frame; write an action with host= and frame=`);
  return { host, ordinal, action: rule.action };
}
