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
import type { PcieFaultHook, PcieVerdict } from '../pcieFaults.ts';
import type { Tlp } from '../pcieItems.ts';
import type { FailedAccess } from './failedAccess.ts';
import type { PcieFaultPlan } from './pcieFaultPlan.ts';
import type { PlaceFinder } from './place/accessPlace.ts';
import { ActivePcieRule, type PcieFiring } from './play/activePcieRule.ts';
import { RequestView } from './play/requestView.ts';
import { parsePcieRule, pcieRuleText } from './rule/pcieLanguage.ts';
import type { SourcedPcieRule } from './rule/pcieRule.ts';

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
}

/** What a rule did in a run. */
export interface PcieRuleOutcome {
  readonly text: string;
  readonly source: string;
  readonly matched: number;
  readonly fired: number;
  readonly mustFire: boolean;
  /** What a random rule did, as rules of single requests; null for one that chance has no part in, or that did too much. */
  readonly schedule: readonly string[] | null;
  /** Only where rules are explained. */
  readonly hits: readonly PcieHit[];
}

/** More firings of a rule are not kept: the seed repeats them as well. */
const MOST_FIRINGS = 100_000;

export class PcieInjector implements PcieFaultHook {
  /** Requests that do not end as they should, as they are sent. */
  readonly failures = new AnalysisPort<FailedAccess>('failures');

  readonly #parts: PcieInjectorParts;
  readonly #rules: ActivePcieRule[] = [];
  readonly #hits: PcieHit[][] = [];
  readonly #view: RequestView;

  constructor(parts: PcieInjectorParts) {
    this.#parts = parts;
    this.#view = new RequestView(parts.finderOf);
    for (const rule of parts.plan.rules) this.add(rule);
  }

  /** A rule acts from now on, after all others. */
  add(sourced: SourcedPcieRule): ActivePcieRule {
    const { plan, random } = this.#parts;
    const text = pcieRuleText(sourced.rule);
    // By its text: rules that come or go elsewhere change no draws of this one.
    const ordinal = this.#rules.filter((rule) => rule.text === text).length;
    const schedule = plan.schedules?.[this.#rules.length]?.map(parseFiring) ?? null;
    const rule = new ActivePcieRule({
      sourced,
      end: plan.until,
      random: random(`fault ${text}`, ordinal),
      schedule,
    });
    this.#rules.push(rule);
    this.#hits.push([]);
    return rule;
  }

  judge(host: number, tlp: Tlp, verdict: PcieVerdict): void {
    const view = this.#view;
    view.look(host, tlp, this.#parts.scheduler.now);
    const { explain } = this.#parts.plan;
    for (let i = 0; i < this.#rules.length; i++) {
      const rule = this.#rules[i] as ActivePcieRule;
      if (!rule.wants(view)) continue;
      rule.act(view, verdict);
      if (explain) this.#hits[i]?.push(hitOf(view));
    }
    if (explain) verdict.clear();
    else if (verdict.fails) this.#tell(tlp, verdict);
  }

  /** Times that rules have acted. */
  get fired(): number {
    return this.#rules.reduce((sum, rule) => sum + rule.fired, 0);
  }

  /** Rules that have not fired though they must. */
  get unfired(): readonly ActivePcieRule[] {
    return this.#rules.filter((rule) => rule.mustFire && rule.fired === 0);
  }

  /** What was done so far. */
  outcome(): readonly PcieRuleOutcome[] {
    return this.#rules.map((rule, i) => ({
      text: rule.text,
      source: rule.sourced.source,
      matched: rule.matched,
      fired: rule.fired,
      mustFire: rule.mustFire,
      schedule: rule.isRandom && rule.firings.length <= MOST_FIRINGS ? rule.firings.map(firingText) : null,
      hits: this.#hits[i] as PcieHit[],
    }));
  }

  #tell(tlp: Tlp, verdict: PcieVerdict): void {
    const { host, kind, time, hi, lo, length, place } = this.#view;
    const { area, firstQpn, lastQpn, receives } = place;
    const how = howOf(verdict);
    this.failures.write({ host, kind, how, time, hi, lo, length, area, firstQpn, lastQpn, receives, tag: tlp.tag });
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
function firingText({ host, ordinal, action }: PcieFiring): string {
  const [hosts, request] = [[[host, host]], [[ordinal, ordinal]]] as const;
  const kinds = action.kind === 'delay' ? {} : KINDS_OF_SCHEDULE[action.kind];
  return pcieRuleText({ action, select: { host: hosts, ...kinds, request }, optional: false });
}

/** Of what the action alone does not say; the ordinal says which request it is. */
const KINDS_OF_SCHEDULE: Readonly<Record<string, object>> = { lose: { kind: ['read', 'msix'] } };

function parseFiring(text: string): PcieFiring {
  const { rule } = parsePcieRule(text);
  const host = rule?.select.host?.[0]?.[0];
  const ordinal = rule?.select.request?.[0]?.[0];
  if (rule === undefined || host === undefined || ordinal === undefined)
    throw new Error(`"${text}" is no rule of one request; write an action with host= and request=`);
  return { host, ordinal, action: rule.action };
}
