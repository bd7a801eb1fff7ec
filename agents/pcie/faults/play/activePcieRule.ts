/** A rule of PCIe at work. */

import { type Firing, RuleAtWork } from '../../../link/faults/play/ruleAtWork.ts';
import { isInSet, type NumberSet } from '../../../link/faults/rule/numberSet.ts';
import { drawTime, isDrawn } from '../../../link/faults/rule/timeDraw.ts';
import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../../../uvm/random/randomStream.ts';
import { CPL_STATUS } from '../../../../dut-model/nic.ts';
import type { PcieVerdict } from '../../pcieFaults.ts';
import { pcieRuleText } from '../rule/pcieLanguage.ts';
import { ACTION_KINDS, type PcieAction, type PcieRule, type SourcedPcieRule } from '../rule/pcieRule.ts';
import type { RequestView } from './requestView.ts';

/** What a rule is given. */
export interface PcieRuleParts {
  readonly sourced: SourcedPcieRule;
  /** All faults end at this time, ps. */
  readonly end: SimTime;
  readonly random: FastStream;
  /** What a random rule did in the run that is replayed; null = it draws. */
  readonly schedule: readonly Firing<PcieAction>[] | null;
}

export class ActivePcieRule extends RuleAtWork<PcieRule, PcieAction> {
  readonly #end: SimTime;

  constructor({ sourced, end, random, schedule }: PcieRuleParts) {
    const { rule } = sourced;
    const { action, select } = rule;
    const isRandom = select.probability !== undefined || ('by' in action && isDrawn(action.by));
    super(
      { sourced, text: pcieRuleText(rule), isRandom, random },
      schedule?.map((firing) => [firing, firing.action] as const) ?? null,
    );
    this.#end = Math.min(end, select.until ?? Number.POSITIVE_INFINITY);
  }

  /** Whether it would act on a request. To be asked about each once, in the order in which they are sent. */
  wants(view: RequestView): boolean {
    return !this.stopped && this.#selects(view) && this.isTurn(view);
  }

  /** Acts on a request that it wants. */
  act(view: RequestView, verdict: PcieVerdict): void {
    const action = this.scheduled(view) ?? this.#decided();
    decide(action, verdict);
    this.noteFired(view, action);
  }

  /** The action with its draws. */
  #decided(): PcieAction {
    const { action } = this.sourced.rule;
    if (!('by' in action) || !isDrawn(action.by)) return action;
    return { ...action, by: { kind: 'fixed', time: drawTime(action.by, this.random) } };
  }

  #selects(view: RequestView): boolean {
    const { host, ordinal, time, kind, place } = view;
    const { action, select } = this.sourced.rule;
    const { from = 0, request, area, qpn, cqn, holds } = select;
    if (time < from || time >= this.#end) return false;
    if (!(select.kind ?? ACTION_KINDS[action.kind].usual).includes(kind)) return false;
    if (select.host !== undefined && !isInSet(select.host, host)) return false;
    if (request !== undefined && !isInSet(request, ordinal)) return false;
    if (area !== undefined && !area.includes(place.area)) return false;
    if (qpn !== undefined && !meets(qpn, place.firstQpn, place.lastQpn)) return false;
    if (cqn !== undefined && !meets(cqn, place.firstCqn, place.lastCqn)) return false;
    return holds === undefined || view.holdsOnly(holds);
  }
}

/** Whether any of the numbers is one of those that a place has. */
function meets(wanted: NumberSet, first: number, last: number): boolean {
  return first >= 0 && wanted.some(([low, high]) => low <= last && high >= first);
}

/** What an action, its time decided, does to the verdict. */
function decide(action: PcieAction, verdict: PcieVerdict): void {
  const time = 'by' in action && action.by.kind === 'fixed' ? action.by.time : 0;
  switch (action.kind) {
    case 'delay':
      verdict.delay += time;
      break;
    case 'ur':
      verdict.status = CPL_STATUS.unsupportedRequest;
      break;
    case 'ca':
      verdict.status = CPL_STATUS.completerAbort;
      break;
    case 'poison':
      verdict.poison = true;
      break;
    case 'lose':
      verdict.lose = true;
      break;
    case 'split':
      verdict.split = true;
      break;
    case 'reorder':
      verdict.hold = Math.max(verdict.hold, time);
      break;
    case 'back_pressure':
      verdict.pressure += time;
      break;
  }
}
