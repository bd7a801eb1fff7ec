/** The faults of a run, from a file, from rules that were typed, and from shares of all frames. */
import { type FaultPlan, NO_FAULTS } from '../agents/link/faults/faultPlan.ts';
import type { FaultFile } from '../agents/link/faults/file/faultFile.ts';
import type { SourcedRule } from '../agents/link/faults/rule/faultRule.ts';
import { type RuleSource, ruleSource } from '../agents/link/faults/rule/sourced.ts';
import type { PcieFaultPlan } from '../agents/pcie/faults/pcieFaultPlan.ts';
import { parseRule } from '../agents/link/faults/rule/parseRule.ts';
import { ruleText } from '../agents/link/faults/rule/ruleText.ts';
import { ruleOf, typedRules, writtenBut } from './typedRules.ts';
import type { ParameterName, ParameterValues } from './table/parameterTable.ts';

/** What a plan is made of besides parameters. */
export interface FaultSources {
  /** The file that `--faults` names; its rules act before all others. Default: none. */
  readonly faultFile?: FaultFile | undefined;
  /** Say which frames the rules would hit, and hit none. Default false. */
  readonly explainFaults?: boolean | undefined;
  /** Keep every frame that is sent, for `FaultOutcome.frames`, and what rules hit. Default false. */
  readonly listFrames?: boolean | undefined;
  /** See `FaultPlan.schedules`. */
  readonly faultSchedules?: FaultPlan['schedules'];
  /** See `PcieFaultPlan.schedules`. */
  readonly pcieSchedules?: PcieFaultPlan['schedules'];
}

/** What each share does to a frame that it hits. */
const SHARES = {
  DUP_PCT: 'duplicate',
  REORDER_PCT: 'reorder by=1..4',
  DELAY_PCT: 'delay by=1us..20us',
  CORRUPT_PCT: 'corrupt field=packet',
  ECN_PCT: 'mark',
} as const satisfies Partial<Record<ParameterName, string>>;

const LOSS = '+LOSS_PCT';

/** The plan of a run whose parameters can be read. */
export function faultPlanOf(values: ParameterValues, sources: FaultSources = {}): FaultPlan {
  const { faultFile, explainFaults = false, listFrames = false, faultSchedules } = sources;
  const rules = [
    ...(faultFile?.rules ?? []),
    ...typedRules(values.NET_FAULT, parseRule, 'NET_FAULT'),
    ...lossRules(values),
    ...shareRules(values),
  ];
  const marks = rules.some(({ rule }) => rule.action.kind === 'mark');
  if (rules.length === 0 && !values.ECN && !listFrames) return NO_FAULTS;
  return {
    rules,
    until: values.FAULT_UNTIL === 0 ? NO_FAULTS.until : values.FAULT_UNTIL,
    ecn: values.ECN || marks,
    explain: explainFaults && rules.length > 0,
    schedules: faultSchedules,
    census: listFrames,
  };
}

/** The rules of a plan that no share stands for, as they would be typed in one argument; '' for none. */
export function writtenRules({ rules }: FaultPlan): string {
  const shares: readonly string[] = [LOSS, ...Object.keys(SHARES).map((name) => `+${name}`)];
  return writtenBut(rules, shares, ruleText);
}

/** Losses of single frames, or in bursts whose mean length and share of all frames are what was asked for. */
function lossRules({ LOSS_PCT, LOSS_BURST }: ParameterValues): SourcedRule[] {
  const source = ruleSource(LOSS);
  const lost = LOSS_PCT / 100;
  if (lost === 0) return [];
  if (LOSS_BURST === 1 || lost === 1) return [sharedRule('drop', lost, source)];
  const leave = 1 / LOSS_BURST;
  const enter = Math.min(1, (leave * lost) / (1 - lost));
  return [{ rule: ruleOf(`burst enter=${decimal(enter)} leave=${decimal(leave)}`, parseRule), source }];
}

function shareRules(values: ParameterValues): SourcedRule[] {
  return (Object.keys(SHARES) as (keyof typeof SHARES)[])
    .filter((name) => values[name] > 0)
    .map((name) => sharedRule(SHARES[name], values[name] / 100, ruleSource(`+${name}`)));
}

function sharedRule(text: string, share: number, source: RuleSource): SourcedRule {
  return { rule: ruleOf(`${text} probability=${decimal(share)}`, parseRule), source };
}

/** As many digits as a rule needs, so that its text stays readable. */
function decimal(share: number): string {
  return String(Number(share.toPrecision(9)));
}
