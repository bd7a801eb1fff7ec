/**
 * Bins that cannot be reached, each by a rule that somebody has reviewed: `coverage/plan/unreachable.yaml`.
 *
 * ```yaml
 * - bins: send_wr_cg.opcode_x_service.<read,ud>
 *   reason: UD has no READ (IBTA 9.8.3)
 *   reviewed: 2026-11-20
 *   nic: hangu                # default: every NIC
 * ```
 *
 * A bin that a rule excludes counts in no percentage. One that is hit all the same proves its rule wrong.
 */

import { z } from 'zod';
import { YamlText } from '../../files/yaml.ts';
import { patternMistake } from '../../uvm/base/glob.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { type ListedBin, binsOf, matching } from './binList.ts';
import { CoverageError } from './coverageError.ts';
import { type CoverageDatabase, groupRef } from './database.ts';
import type { Totals } from './totals.ts';

const ruleSchema = z.strictObject({
  /** Path or pattern of bins, items or groups. */
  bins: z
    .string()
    .min(1)
    .superRefine((text, context) => {
      const message = patternMistake(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  reason: z.string().min(1),
  /** When and by whom, as the project writes it. */
  reviewed: z.string().min(1),
  nic: z.string().optional(),
});

export interface ExclusionRule extends z.infer<typeof ruleSchema> {
  /** `coverage/plan/unreachable.yaml:12`. */
  readonly where: string;
}

/** What rules exclude of a database. */
export class Exclusions {
  /** By `groupRef` and bin: the rule. */
  readonly #rules = new Map<string, Map<number, ExclusionRule>>();

  /**
   * @param strangers what becomes of rules about groups that the database does not know
   * @throws CoverageError for a rule that meets no bin
   */
  constructor(rules: readonly ExclusionRule[], database: CoverageDatabase, strangers: 'refuse' | 'ignore' = 'refuse') {
    const groups = new Set(database.groups.map(({ name }) => name));
    const bins = binsOf(database).filter(({ bin }) => bin.kind === 'bins');
    const nics = new Set(database.runs.map(({ nic }) => nic));
    const problems: string[] = [];
    for (const rule of rules) {
      if (rule.nic !== undefined && !(nics.size === 1 && nics.has(rule.nic))) continue;
      const met = matching(bins, rule.bins);
      const isKnown = groups.has(rule.bins.split('.')[0] as string);
      if (met.length === 0 && (isKnown || strangers === 'refuse')) problems.push(noBin(rule, bins));
      for (const bin of met) this.#exclude(bin, rule);
    }
    if (problems.length > 0) throw new CoverageError(problems);
  }

  /** Bins of a group that are excluded, each with its rule. */
  of(ref: string): ReadonlyMap<number, ExclusionRule> {
    return this.#rules.get(ref) ?? new Map();
  }

  ruleOf({ group, number }: ListedBin): ExclusionRule | undefined {
    return this.of(groupRef(group)).get(number);
  }

  #exclude({ group, number }: ListedBin, rule: ExclusionRule): void {
    const ref = groupRef(group);
    const rules = this.#rules.get(ref) ?? new Map<number, ExclusionRule>();
    if (!rules.has(number)) rules.set(number, rule);
    this.#rules.set(ref, rules);
  }
}

export const NO_EXCLUSIONS = new Exclusions([], { groups: [], runs: [] });

/** A line for each excluded bin that was hit: `COV_UNREACHABLE_HIT`. */
export function unreachableHits(database: CoverageDatabase, totals: Totals, exclusions: Exclusions): readonly string[] {
  return binsOf(database).flatMap((listed) => {
    const rule = exclusions.ruleOf(listed);
    const hits = totals.get(groupRef(listed.group))?.get(listed.number) ?? 0;
    if (rule === undefined || hits === 0) return [];
    const says = `${rule.where} says that it cannot be reached: ${rule.reason}`;
    return [`COV_UNREACHABLE_HIT ${listed.path} was hit ${hits} times, but ${says}`];
  });
}

/**
 * @param file name for messages
 * @throws CoverageError with file and line
 */
export function parseExclusions(file: string, text: string): readonly ExclusionRule[] {
  const yaml = new YamlText(text);
  const at = (path: readonly PropertyKey[]): string => `${file}:${yaml.placeOf(path).line}`;
  const [broken] = yaml.mistakes;
  // What follows from a mistake is none.
  if (broken !== undefined) throw new CoverageError([`${file}:${broken.line}: ${broken.message}`]);
  const read = z.array(ruleSchema).safeParse(yaml.value ?? []);
  if (read.success) return read.data.map((rule, i) => ({ ...rule, where: at([i]) }));
  const form = 'a rule is { bins: <pattern>, reason: <text>, reviewed: <when and by whom>, nic: <name, optional> }';
  throw new CoverageError(
    read.error.issues.map(
      ({ path, message }) => `${at(path.slice(0, 1))}: ${path.slice(1).join('.')} ${message}; ${form}`,
    ),
  );
}

function noBin({ where, bins: pattern }: ExclusionRule, bins: readonly ListedBin[]): string {
  const names = bins.flatMap(({ path, group, item }) => [path, `${group.name}.${item.name}`]);
  return `${where}: '${pattern}' meets no bin that is to be covered${didYouMean(pattern, names)}`;
}
