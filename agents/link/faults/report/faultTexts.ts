/** What is said of fault rules to people. */

import { opcodeName } from '../../../wire/packetTexts.ts';
import { psnText } from '../../../../rdma/psnText.ts';
import { formatTime } from '../../../../uvm/kernel/time.ts';
import { counted } from '../../../../uvm/report/counted.ts';
import type { HostEffects } from '../effects/recoveryMeter.ts';
import type { TimeSummary } from '../effects/samples.ts';
import type { ActionName } from '../rule/faultRule.ts';
import { resetOf } from '../rule/nicReset.ts';
import type { FaultHit, FaultOutcome, RuleOutcome } from '../faultInjector.ts';
import type { ActiveRule } from '../play/activeRule.ts';

const SHOWN_HITS = 20;
const SHOWN_RULES = 20;
const RESET_WORD: ActionName = 'nic_reset';

/** Why a rule that had to act did not. */
export function unfiredText({ text, sourced, matched }: ActiveRule): string {
  if (resetOf(sourced.rule) !== null)
    return `the fault rule '${text}' (${sourced.source}) did nothing: the run was over before, faults had ended (+FAULT_UNTIL), or there is no such host; write optional if it need not act`;
  const { nth, every } = sourced.rule.select;
  const which =
    nth !== undefined || every !== undefined ? 'none of them is the one that it counts to' : 'none has what it changes';
  const why = matched === 0 ? 'no frame was what it selects' : `${counted(matched, 'frame')} matched, and ${which}`;
  const advice = '--explain-faults shows which frames there are; write optional if it need not act';
  return `the fault rule '${text}' (${sourced.source}) did nothing: ${why}; ${advice}`;
}

/** One line for each rule, and for each host that shows what they led to. */
export function outcomeLines({ rules, hosts }: FaultOutcome): string[] {
  return [...ruleLines(rules), ...hosts.flatMap(hostLine)];
}

/** Equal ones, as a sequence gives them, in one line. */
function ruleLines(rules: readonly RuleOutcome[]): string[] {
  const groups = new Map<string, RuleOutcome[]>();
  for (const rule of rules) {
    const key = `${rule.text} (${rule.source})`;
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  const lines = [...groups.values()].map(ruleLine);
  return lines.length <= SHOWN_RULES
    ? lines
    : [...lines.slice(0, SHOWN_RULES), `and ${lines.length - SHOWN_RULES} further rules, see run.json`];
}

/** What `--explain-faults` says: each rule with the frames that it would hit. */
export function explanation({ rules }: FaultOutcome): string[] {
  return rules.flatMap((rule) => {
    const { hits } = rule;
    const head = `${rule.text} (${rule.source}): ${hitText(rule)}`;
    const more = hits.length > SHOWN_HITS ? [`  and ${hits.length - SHOWN_HITS} more`] : [];
    return [head, ...hits.slice(0, SHOWN_HITS).map(hitLine), ...more];
  });
}

function hitText(rule: RuleOutcome): string {
  if (isReset(rule.text)) return `${counted(rule.fired, 'NIC')}, and no frame`;
  return rule.fired === 0 ? nothingHit(rule) : counted(rule.fired, 'frame');
}

/** By the first word of its text, which says what the rule does. */
function isReset(text: string): boolean {
  return text.startsWith(RESET_WORD);
}

function nothingHit({ matched }: RuleOutcome): string {
  if (matched > 0) return `none of the ${counted(matched, 'frame')} that it matches`;
  return 'no frame of a run without faults';
}

function hitLine({ host, to, ordinal, time, opcode, psn, qpn }: FaultHit): string {
  const what = opcode < 0 ? 'no RoCEv2' : `${opcodeName(opcode)}, PSN ${psnText(psn)}`;
  const from = qpn < 0 ? `host ${host}` : `host ${host} QP ${qpn}`;
  return `  frame ${ordinal} of ${from} to ${to < 0 ? 'all' : `host ${to}`} at ${formatTime(time)}: ${what}`;
}

function ruleLine(equal: readonly RuleOutcome[]): string {
  const { text, source } = equal[0] as RuleOutcome;
  const [matched, fired] = equal.reduce(([m, f], rule) => [m + rule.matched, f + rule.fired], [0, 0]);
  const times = equal.length === 1 ? '' : `, ${equal.length} times the same rule`;
  if (isReset(text)) return `'${text}' (${source}) reset ${counted(fired, 'NIC')}${times}`;
  return `'${text}' (${source}) acted on ${fired} of ${counted(matched, 'frame')}${times}`;
}

function hostLine({ host, ...effects }: HostEffects): string[] {
  const parts = [
    ...(effects.sentAgain === 0 ? [] : [`${counted(effects.sentAgain, 'packet')} sent again`]),
    ...timePart('recovery', effects.recovery),
    ...(effects.notRecovered === 0 ? [] : [`${effects.notRecovered} not recovered`]),
    ...timePart('NAK generation', effects.nakGeneration),
    ...timePart('NAK reaction', effects.nakReaction),
    ...timePart('CNP interval', effects.cnpInterval),
  ];
  return parts.length === 0 ? [] : [`host ${host}: ${parts.join(', ')}`];
}

function timePart(what: string, { count, median, worst }: TimeSummary): string[] {
  return count === 0 ? [] : [`${what} median ${short(median)}, worst ${short(worst)} (${count})`];
}

/** Three digits are enough for a summary. */
function short(ps: number): string {
  return formatTime(Math.round(Number(ps.toPrecision(3))));
}
