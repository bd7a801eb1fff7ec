/** A rule of the link at work. */

import type { FastStream } from '../../../../uvm/random/randomStream.ts';
import type { HeaderEdits } from '../edit/headerEdits.ts';
import type { FrameView } from '../frame/frameView.ts';
import type { FaultAction, FaultRule, SourcedRule } from '../rule/faultRule.ts';
import { resetOf } from '../rule/nicReset.ts';
import { ruleText } from '../rule/ruleText.ts';
import { type Actor, actorOf, draws, type FrameCase } from './actor.ts';
import { type Firing, RuleAtWork } from './ruleAtWork.ts';
import { Selector } from './selector.ts';

/** What a rule is given. */
export interface RuleParts {
  readonly sourced: SourcedRule;
  /** All faults end at this time, ps. */
  readonly end: number;
  readonly random: FastStream;
  readonly headerEdits: HeaderEdits;
  /** What a random rule did in the run that is replayed; null = it draws. */
  readonly schedule: readonly Firing<FaultAction>[] | null;
}

export class ActiveRule extends RuleAtWork<FaultRule, FaultAction, Actor> {
  readonly #selector: Selector;
  readonly #actor: Actor;
  readonly #onFrames: boolean;

  constructor({ sourced, end, random, headerEdits, schedule }: RuleParts) {
    const { rule } = sourced;
    const parts = { headerEdits, random };
    super(
      { sourced, text: ruleText(rule), isRandom: isRandom(rule), random },
      schedule?.map((firing) => [firing, actorOf(firing.action, parts)] as const) ?? null,
    );
    this.#selector = new Selector(rule, end);
    this.#actor = actorOf(rule.action, parts);
    this.#onFrames = resetOf(rule) === null;
  }

  override get mustFire(): boolean {
    return super.mustFire && this.sourced.rule.action.kind !== 'burst';
  }

  /** Whether it would act on a frame. To be asked about each frame once, in the order in which they are sent. */
  wants(view: FrameView): boolean {
    return this.#onFrames && !this.stopped && this.#selector.selects(view) && this.isTurn(view);
  }

  /** The NIC of a host is reset, which is what the rule asks for; nothing happens when it was stopped before. */
  resets(host: number): boolean {
    if (this.stopped) return false;
    this.matched++;
    this.noteFired({ host, ordinal: this.matched }, this.sourced.rule.action);
    return true;
  }

  /** Acts on a frame that it wants. @returns whether there was anything to act on */
  act(frame: FrameCase): boolean {
    const done = (this.scheduled(frame.view) ?? this.#actor)(frame);
    if (done === null) return false;
    this.noteFired(frame.view, done);
    return true;
  }
}

/** Whether the text of a rule alone does not say what it does. */
function isRandom({ action, select }: FaultRule): boolean {
  return select.probability !== undefined || draws(action);
}
