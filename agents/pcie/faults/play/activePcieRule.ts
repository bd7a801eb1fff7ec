/** A rule of PCIe at work: what it has matched and done so far. */

import { isInSet } from '../../../link/faults/rule/numberSet.ts';
import { drawTime, isDrawn } from '../../../link/faults/rule/timeDraw.ts';
import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../../../uvm/random/randomStream.ts';
import { CPL_STATUS } from '../../../../dut-model/nic.ts';
import type { PcieVerdict } from '../../pcieFaults.ts';
import { pcieRuleText } from '../rule/pcieLanguage.ts';
import { ACTION_KINDS, type PcieAction, type SourcedPcieRule } from '../rule/pcieRule.ts';
import type { RequestView } from './requestView.ts';

/** One request that a rule acted on. */
export interface PcieFiring {
  readonly host: number;
  readonly ordinal: number;
  /** With all draws decided. */
  readonly action: PcieAction;
}

/** What a rule is given. */
export interface PcieRuleParts {
  readonly sourced: SourcedPcieRule;
  /** All faults end at this time, ps. */
  readonly end: SimTime;
  readonly random: FastStream;
  /** What a random rule did in the run that is replayed; null = it draws. */
  readonly schedule: readonly PcieFiring[] | null;
}

export class ActivePcieRule {
  readonly sourced: SourcedPcieRule;
  /** As it is written. */
  readonly text: string;
  /** Whether chance decides which requests it acts on, or how. */
  readonly isRandom: boolean;
  /** Requests that it has selected, before `nth`, `every` and `probability`; and those that it has acted on. */
  matched = 0;
  fired = 0;
  /** Of a random rule, everything that it did, in order. */
  readonly firings: PcieFiring[] = [];

  readonly #end: SimTime;
  readonly #random: FastStream;
  readonly #scheduled: ReadonlyMap<number, PcieAction> | null;
  #stopped = false;

  constructor({ sourced, end, random, schedule }: PcieRuleParts) {
    const { rule } = sourced;
    const { action, select } = rule;
    this.sourced = sourced;
    this.text = pcieRuleText(rule);
    this.isRandom = select.probability !== undefined || ('by' in action && isDrawn(action.by));
    this.#end = Math.min(end, select.until ?? Number.POSITIVE_INFINITY);
    this.#random = random;
    const scheduled = schedule !== null && this.isRandom;
    this.#scheduled = scheduled ? new Map(schedule.map((f) => [keyOf(f), f.action])) : null;
  }

  /** Whether a run in which it never fires fails. */
  get mustFire(): boolean {
    const { rule } = this.sourced;
    return !rule.optional && rule.select.probability === undefined;
  }

  /** It acts no more. */
  stop(): void {
    this.#stopped = true;
  }

  /** Whether it would act on a request. To be asked about each once, in the order in which they are sent. */
  wants(view: RequestView): boolean {
    if (this.#stopped || !this.#selects(view)) return false;
    this.matched++;
    if (this.#scheduled !== null) return this.#scheduled.has(keyOf(view));
    const { nth, every, probability } = this.sourced.rule.select;
    if (nth !== undefined && !isInSet(nth, this.matched)) return false;
    if (every !== undefined && this.matched % every !== 0) return false;
    return probability === undefined || this.#random.chance(probability);
  }

  /** Acts on a request that it wants. */
  act(view: RequestView, verdict: PcieVerdict): void {
    const action = this.#decided(view);
    decide(action, verdict);
    this.fired++;
    const { host, ordinal } = view;
    if (this.isRandom) this.firings.push({ host, ordinal, action });
  }

  /** The action with its draws. */
  #decided(view: RequestView): PcieAction {
    const scheduled = this.#scheduled?.get(keyOf(view));
    if (scheduled !== undefined) return scheduled;
    const { action } = this.sourced.rule;
    if (!('by' in action) || !isDrawn(action.by)) return action;
    return { ...action, by: { kind: 'fixed', time: drawTime(action.by, this.#random) } };
  }

  #selects({ host, ordinal, time, kind, place }: RequestView): boolean {
    const { action, select } = this.sourced.rule;
    const { from = 0, request, area, qpn } = select;
    if (time < from || time >= this.#end) return false;
    if (!(select.kind ?? ACTION_KINDS[action.kind].usual).includes(kind)) return false;
    if (select.host !== undefined && !isInSet(select.host, host)) return false;
    if (request !== undefined && !isInSet(request, ordinal)) return false;
    if (area !== undefined && !area.includes(place.area)) return false;
    if (qpn === undefined) return true;
    return place.firstQpn >= 0 && qpn.some(([low, high]) => low <= place.lastQpn && high >= place.firstQpn);
  }
}

/** One number for each request of a run. */
function keyOf({ host, ordinal }: { readonly host: number; readonly ordinal: number }): number {
  return ordinal * 64 + host;
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
