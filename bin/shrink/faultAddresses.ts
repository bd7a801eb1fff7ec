/**
 * Fault rules of a recorded run as rules that hit the same when other traffic is taken out: what chance has decided is fixed, and
 * ordinals among all frames of a host become what they hit: operation, queue pair, round, and which of those. A queue pair is
 * named by the order in which its host makes them, so that a rule can follow it when others go. None of them must act: without
 * the bug there may be nothing to act on.
 */

import type { FaultHit, RuleOutcome } from '../../agents/link/faults/faultInjector.ts';
import { parseRule } from '../../agents/link/faults/rule/parseRule.ts';
import type { FaultRule } from '../../agents/link/faults/rule/faultRule.ts';
import { ruleText } from '../../agents/link/faults/rule/ruleText.ts';
import type { PcieHit, PcieRuleOutcome } from '../../agents/pcie/faults/pcieInjector.ts';
import { parsePcieRule, pcieRuleText } from '../../agents/pcie/faults/rule/pcieLanguage.ts';
import type { PcieRule, PcieSelection } from '../../agents/pcie/faults/rule/pcieRule.ts';
import { stepsOf } from '../../config/scenario/calls/callEdits.ts';
import { type CallScenario, isWait } from '../../config/scenario/calls/callScenario.ts';

/** Ordinals of which nobody knows what they will hit when other traffic goes. */
const LINK_ORDINALS = ['frame'] as const;
const PCIE_ORDINALS = ['request'] as const;

/** The rules of the link, each as what it did where chance or an ordinal has decided that. */
export function addressedRules(outcomes: readonly RuleOutcome[]): string[] {
  return outcomes.flatMap(({ text, schedule, hits }) => {
    const { rule } = parseRule(text);
    if (rule === undefined) return [text];
    if (schedule === null && !LINK_ORDINALS.some((key) => rule.select[key] !== undefined)) return [text];
    const actions = (schedule ?? hits.map(() => text)).map((fired) => parseRule(fired).rule ?? rule);
    return hits.length === actions.length
      ? hits.map((hit, i) => frameRule(actions[i] as FaultRule, hit))
      : [...(schedule ?? [text])];
  });
}

function frameRule({ action }: FaultRule, { host, ordinal, address }: FaultHit): string {
  if (address === undefined || address.operation === '')
    return ruleText({ action, select: { host: one(host), frame: one(ordinal) }, optional: true });
  const { qp, operation, round, nth } = address;
  const select = {
    host: one(host),
    ...(qp < 0 ? {} : { qp: one(qp) }),
    opcode: [operation],
    ...(round < 0 ? {} : { round: one(round) }),
    nth: one(nth),
  };
  return ruleText({ action, select, optional: true } as FaultRule);
}

/** The same of PCIe. */
export function addressedPcieRules(outcomes: readonly PcieRuleOutcome[]): string[] {
  return outcomes.flatMap(({ text, schedule, hits }) => {
    const { rule } = parsePcieRule(text);
    if (rule === undefined) return [text];
    if (schedule === null && !PCIE_ORDINALS.some((key) => rule.select[key] !== undefined)) return [text];
    const actions = (schedule ?? hits.map(() => text)).map((fired) => parsePcieRule(fired).rule ?? rule);
    return hits.length === actions.length
      ? hits.map((hit, i) => requestRule(actions[i] as PcieRule, hit))
      : [...(schedule ?? [text])];
  });
}

function requestRule({ action }: PcieRule, { host, kind, area, ordinal, nth }: PcieHit): string {
  const which = nth === undefined ? { request: one(ordinal) } : { area: [area], nth: one(nth) };
  const select = { host: one(host), kind: [kind], ...which } as unknown as PcieSelection;
  return pcieRuleText({ action, select, optional: true });
}

function one(number: number): [number, number][] {
  return [[number, number]];
}

/** Rules of PCIe of a scenario, which brings them as one parameter. */
const PCIE_RULES = 'PCIE_FAULT';

/**
 * A smaller scenario whose rules follow their queue pairs: these are counted among those of a host, and others have gone. A rule
 * whose queue pair has gone goes as well.
 */
export function withFollowingRules(before: CallScenario, after: CallScenario): CallScenario {
  if (after.faults.length === 0) return after;
  const [were, are] = [madeBy(before), madeBy(after)];
  const isSame = [...were].every(([host, names]) => names.join(' ') === are.get(host)?.join(' '));
  if (isSame) return after;
  return { ...after, faults: after.faults.flatMap((text) => followed(text, were, are)) };
}

function followed(
  text: string,
  were: ReadonlyMap<string, readonly string[]>,
  are: ReadonlyMap<string, readonly string[]>,
): string[] {
  const { rule } = parseRule(text);
  const host = rule?.select.host?.[0]?.[0];
  const qp = rule?.select.qp?.[0]?.[0];
  if (rule === undefined || host === undefined || qp === undefined) return [text];
  const name = were.get(`host${host}`)?.[qp];
  const now = name === undefined ? -1 : (are.get(`host${host}`)?.indexOf(name) ?? -1);
  if (now < 0) return [];
  return [ruleText({ ...rule, select: { ...rule.select, qp: one(now) } })];
}

/** Names of the queue pairs of each host in the order in which they are made. */
function madeBy(scenario: CallScenario): Map<string, string[]> {
  const made = new Map<string, string[]>();
  for (const step of stepsOf(scenario)) {
    if (isWait(step) || step.call !== 'createQp' || step.as === undefined) continue;
    const host = step.as.split('.')[0] as string;
    made.set(host, [...(made.get(host) ?? []), step.as]);
  }
  return made;
}

/** Scenarios in which one rule acts on an earlier one of what it selects: what was in front of that is needed no more. */
export function earlierRules(scenario: CallScenario): CallScenario[] {
  return scenario.faults.flatMap((text, i) => {
    const { rule } = parseRule(text);
    const nth = rule?.select.nth?.[0]?.[0];
    if (rule === undefined || nth === undefined || nth <= 1) return [];
    return [...new Set([1, nth >> 1, nth - 1])]
      .filter((earlier) => earlier >= 1 && earlier < nth)
      .map((earlier) => {
        const moved = ruleText({ ...rule, select: { ...rule.select, nth: one(earlier) } });
        return { ...scenario, faults: scenario.faults.with(i, moved) };
      });
  });
}

/** The same of a rule of PCIe. */
export function earlierPcieRules(scenario: CallScenario): CallScenario[] {
  const rules = pcieRulesOf(scenario);
  return rules.flatMap((text, i) => {
    const { rule } = parsePcieRule(text);
    const nth = rule?.select.nth?.[0]?.[0];
    if (rule === undefined || nth === undefined || nth <= 1) return [];
    const moved = pcieRuleText({ ...rule, select: { ...rule.select, nth: one(1) } });
    return [withPcieRules(scenario, rules.with(i, moved))];
  });
}

/** Rules of PCIe, one text each. */
export function pcieRulesOf({ parameters }: CallScenario): string[] {
  return (parameters[PCIE_RULES] ?? '')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

export function withPcieRules(scenario: CallScenario, rules: readonly string[]): CallScenario {
  const { [PCIE_RULES]: _, ...others } = scenario.parameters;
  return {
    ...scenario,
    parameters: rules.length === 0 ? others : { ...others, [PCIE_RULES]: rules.join('; ') },
  };
}
