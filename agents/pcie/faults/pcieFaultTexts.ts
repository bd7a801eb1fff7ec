/** What is said of PCIe fault rules to people. */

import { formatTime } from '../../../uvm/kernel/time.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { hexAddress } from '../../../uvm/report/hexTexts.ts';
import type { PcieHit, PcieRuleOutcome } from './pcieInjector.ts';
import type { ActivePcieRule } from './play/activePcieRule.ts';

const SHOWN_HITS = 20;

/** Why a rule that had to act did not. */
export function unfiredPcieText({ text, sourced, matched }: ActivePcieRule): string {
  const why =
    matched === 0
      ? 'no request was what it selects'
      : `${counted(matched, 'request')} matched, and none of them is the one that it counts to`;
  const advice = '--explain-faults shows which requests there are; write optional if it need not act';
  return `the fault rule '${text}' (${sourced.source}) did nothing: ${why}; ${advice}`;
}

/** One line for each rule. */
export function pcieOutcomeLines(rules: readonly PcieRuleOutcome[]): string[] {
  return rules.map(
    ({ text, source, matched, fired }) => `'${text}' (${source}) acted on ${fired} of ${counted(matched, 'request')}`,
  );
}

/** What `--explain-faults` says: each rule with the requests that it would hit. */
export function pcieExplanation(rules: readonly PcieRuleOutcome[]): string[] {
  return rules.flatMap(({ text, source, fired, hits }) => {
    const more = hits.length > SHOWN_HITS ? [`  and ${hits.length - SHOWN_HITS} more`] : [];
    const many = fired === 0 ? 'no request of a run without faults' : counted(fired, 'request');
    return [`${text} (${source}): ${many}`, ...hits.slice(0, SHOWN_HITS).map(hitLine), ...more];
  });
}

function hitLine({ host, ordinal, time, kind, area, hi, lo, length }: PcieHit): string {
  const what = `${kind} of ${length} B at ${hexAddress(hi, lo)} (${area})`;
  return `  request ${ordinal} of host ${host} at ${formatTime(time)}: ${what}`;
}
