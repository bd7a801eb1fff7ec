/**
 * Plays the fault rules of a run on the PCIe ports of its hosts, between NIC and host memory.
 *
 * Every rule that selects a request acts on it, in the order of the rules. A request that one of them loses is lost; of a status and
 * poison, the status counts. What was done is kept for the record, with the draws of random rules, and who judges is told of each
 * request that does not end as it should.
 */

import { CPL_STATUS } from '../../../dut-model/nic.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../../uvm/random/randomStream.ts';
import { AnalysisPort } from '../../../uvm/tlm/analysisPort.ts';
import type { Firing } from '../../link/faults/play/ruleAtWork.ts';
import { type OutcomeOf, parseFiring, RuleList } from '../../link/faults/play/ruleList.ts';
import type { PcieFaultHook, PcieVerdict } from '../pcieFaults.ts';
import type { Tlp } from '../pcieItems.ts';
import type { FailedAccess } from './failedAccess.ts';
import type { PcieFaultPlan } from './pcieFaultPlan.ts';
import type { PlaceFinder } from './place/accessPlace.ts';
import { ActivePcieRule } from './play/activePcieRule.ts';
import { RequestView } from './play/requestView.ts';
import { parsePcieRule, pcieRuleText } from './rule/pcieLanguage.ts';
import type { PcieAction, SourcedPcieRule } from './rule/pcieRule.ts';

/** What an injector works with. */
export interface PcieInjectorParts {
  readonly plan: PcieFaultPlan;
  readonly scheduler: { readonly now: SimTime };
  /** What the addresses of a host hold. */
  readonly finderOf: (host: number) => PlaceFinder;
  /** A stream of its own for each purpose. */
  readonly random: (purpose: string, ordinal: number) => FastStream;
}

/** A request that a rule would hit. */
export interface PcieHit {
  readonly host: number;
  readonly ordinal: number;
  readonly time: SimTime;
  readonly kind: string;
  readonly area: string;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** Of a census: which of the requests of its host of this kind to this area, from 1. */
  readonly nth?: number;
}

export type PcieRuleOutcome = OutcomeOf<PcieHit>;

export class PcieInjector implements PcieFaultHook {
  /** Requests that do not end as they should, as they are sent. */
  readonly failures = new AnalysisPort<FailedAccess>('failures');

  readonly #parts: PcieInjectorParts;
  readonly #list: RuleList<PcieAction, ActivePcieRule, PcieHit>;
  readonly #view: RequestView;
  /** Of a census: how many requests there were of each kind to each area. */
  readonly #alike = new Map<string, number>();

  constructor(parts: PcieInjectorParts) {
    this.#parts = parts;
    this.#view = new RequestView(parts.finderOf);
    this.#list = new RuleList(parts.random, firingText);
    for (const rule of parts.plan.rules) this.add(rule);
  }

  /** A rule acts from now on, after all others. */
  add(sourced: SourcedPcieRule): ActivePcieRule {
    const { plan } = this.#parts;
    return this.#list.add(pcieRuleText(sourced.rule), ({ number, random }) => {
      const schedule = plan.schedules?.[number]?.map((text) => parseFiring(text, parsePcieRule, 'request')) ?? null;
      return new ActivePcieRule({ sourced, end: plan.until, random, schedule });
    });
  }

  judge(host: number, tlp: Tlp, verdict: PcieVerdict): void {
    const view = this.#view;
    view.look(host, tlp, this.#parts.scheduler.now);
    const { explain, census } = this.#parts.plan;
    const nth = census === true ? this.#count(view) : undefined;
    const { rules } = this.#list;
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i] as ActivePcieRule;
      if (!rule.wants(view)) continue;
      rule.act(view, verdict);
      if (explain) this.#list.noteHit(i, hitOf(view));
      else if (nth !== undefined) this.#list.noteHit(i, { ...hitOf(view), nth });
    }
    if (explain) verdict.clear();
    else if (verdict.fails) this.#tell(tlp, verdict);
  }

  /** Times that rules have acted. */
  get fired(): number {
    return this.#list.fired;
  }

  /** Rules that have not fired though they must. */
  get unfired(): readonly ActivePcieRule[] {
    return this.#list.unfired;
  }

  /** What was done so far. */
  outcome(): readonly PcieRuleOutcome[] {
    return this.#list.outcomes();
  }

  #count({ host, kind, place }: RequestView): number {
    const key = `${host} ${kind} ${place.area}`;
    const nth = (this.#alike.get(key) ?? 0) + 1;
    this.#alike.set(key, nth);
    return nth;
  }

  #tell(tlp: Tlp, verdict: PcieVerdict): void {
    const { host, kind, time, hi, lo, length, place } = this.#view;
    const { area, firstQpn, lastQpn, firstCqn, lastCqn, receives } = place;
    const numbers = { firstQpn, lastQpn, firstCqn, lastCqn };
    const how = howOf(verdict);
    this.failures.write({
      host,
      kind,
      how,
      time,
      hi,
      lo,
      length,
      area,
      ...numbers,
      receives,
      held: this.#view.held,
      tag: tlp.tag,
    });
  }
}

function howOf({ lose, status }: PcieVerdict): FailedAccess['how'] {
  if (lose) return 'lost';
  if (status === CPL_STATUS.success) return 'poisoned';
  return status === CPL_STATUS.completerAbort ? 'aborted' : 'unsupported';
}

function hitOf({ host, ordinal, time, kind, place, hi, lo, length }: RequestView): PcieHit {
  return { host, ordinal, time, kind, area: place.area, hi, lo, length };
}

/** As a rule of one request. */
function firingText({ host, ordinal, action }: Firing<PcieAction>): string {
  const [hosts, request] = [[[host, host]], [[ordinal, ordinal]]] as const;
  const kinds = action.kind === 'delay' ? {} : KINDS_OF_SCHEDULE[action.kind];
  return pcieRuleText({ action, select: { host: hosts, ...kinds, request }, optional: false });
}

/** Of what the action alone does not say; the ordinal says which request it is. */
const KINDS_OF_SCHEDULE: Readonly<Record<string, object>> = { lose: { kind: ['read', 'msix'] } };
