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
import { ActiveRule } from './play/activeRule.ts';
import type { Firing } from './play/ruleAtWork.ts';
import { type OutcomeOf, parseFiring, RuleList } from './play/ruleList.ts';
import type { FaultAction, SourcedRule } from './rule/faultRule.ts';
import { operationNameOf } from './rule/opcodeNames.ts';
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

/** A frame by what it is, so that it is found again where other frames come and go. */
export interface FrameAddress {
  /** Ordinal of the queue pair that sends it among those of its host, from 0; -1 where it is not known. */
  readonly qp: number;
  /** As `OPERATION_NAMES` has it; '' for none. */
  readonly operation: string;
  /** How often it has been sent before; -1 where repetitions cannot be told from new ones. */
  readonly round: number;
  /** Which of the frames of its host of which all that is equal, from 1. */
  readonly nth: number;
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
  /** Only of a census. */
  readonly address?: FrameAddress;
}

export type RuleOutcome = OutcomeOf<FaultHit>;

/** What faults did in a run, and what that led to. */
export interface FaultOutcome {
  readonly rules: readonly RuleOutcome[];
  readonly hosts: readonly HostEffects[];
  /** Every frame in the order in which they were sent; only where the plan asks for a census. */
  readonly frames?: readonly FaultHit[];
}

export class FaultInjector implements LinkFaultHook {
  readonly #parts: InjectorParts;
  readonly #list: RuleList<FaultAction, ActiveRule, FaultHit>;
  readonly #census: FaultHit[] | null;
  /** Of a census: how many frames there were of each address so far. */
  readonly #alike = new Map<string, number>();
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
    const { bytes, directory, plan, random } = parts;
    this.#list = new RuleList(random, firingText);
    this.#view = new FrameView(bytes, directory);
    this.#arrival = new FrameView(bytes, directory);
    this.#edits = new FrameEdits(bytes);
    this.#headerEdits = new HeaderEdits(bytes);
    this.#census = plan.census === true ? [] : null;
    for (const rule of plan.rules) this.add(rule);
  }

  /** A rule acts from now on, after all others. */
  add(sourced: SourcedRule): ActiveRule {
    const { plan } = this.#parts;
    const headerEdits = this.#headerEdits;
    return this.#list.add(ruleText(sourced.rule), ({ number, random }) => {
      const schedule = plan.schedules?.[number]?.map((text) => parseFiring(text, parseRule, 'frame')) ?? null;
      return new ActiveRule({ sourced, end: plan.until, random, headerEdits, schedule });
    });
  }

  judge(item: FrameItem, verdict: LinkVerdict): void {
    const view = this.#view;
    view.look(item, this.#parts.sentFrames(item.host));
    const { explain } = this.#parts.plan;
    const seen = this.#census === null ? undefined : { ...this.#seen(), address: this.#address() };
    if (seen !== undefined) this.#census?.push(seen);
    this.#edits.clear();
    if (this.#acted.length > 0) this.#acted = [];
    const decided = explain ? this.#idle : verdict;
    const frame = { view, item, verdict: decided, edits: this.#edits };
    const { rules } = this.#list;
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i] as ActiveRule;
      if (!rule.wants(view) || !rule.act(frame)) continue;
      this.#acted.push(rule);
      if (explain || seen !== undefined) this.#list.noteHit(i, seen ?? this.#seen());
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

  /** In the order in which they act. */
  get rules(): readonly ActiveRule[] {
    return this.#list.rules;
  }

  /** Times that rules have acted. */
  get fired(): number {
    return this.#list.fired;
  }

  /** Rules that have not fired though they must. */
  get unfired(): readonly ActiveRule[] {
    return this.#list.unfired;
  }

  /** What was done so far, and what it led to. */
  outcome(): FaultOutcome {
    const outcome = { rules: this.#list.outcomes(), hosts: this.#meter.effects() };
    return this.#census === null ? outcome : { ...outcome, frames: this.#census };
  }

  /** A lost frame is neither late nor repeated nor changed. */
  #settle(verdict: LinkVerdict): void {
    if (verdict.drop) {
      verdict.clear();
      verdict.drop = true;
    } else if (!this.#edits.isEmpty) verdict.edit = this.#edits;
  }

  #address(): FrameAddress {
    const { host, headers, sender, round } = this.#view;
    const operation = headers.isRoce ? (operationNameOf(headers.opcode) ?? '') : '';
    const qp = sender?.ordinal ?? -1;
    const key = `${host} ${qp} ${operation} ${round}`;
    const nth = (this.#alike.get(key) ?? 0) + 1;
    this.#alike.set(key, nth);
    return { qp, operation, round, nth };
  }

  /** The frame that is looked at. */
  #seen(): FaultHit {
    const { host, to, ordinal, time, headers: h, sender } = this.#view;
    const what = h.isRoce ? { opcode: h.opcode, psn: h.psn } : { opcode: -1, psn: -1 };
    return { host, to, ordinal, time, ...what, qpn: sender?.qpn ?? -1 };
  }
}

/** As a rule of one frame. */
function firingText({ host, ordinal, action }: Firing<FaultAction>): string {
  const frame: readonly (readonly [number, number])[] = [[ordinal, ordinal]];
  return ruleText({ action, select: { host: [[host, host]], frame }, optional: false });
}
