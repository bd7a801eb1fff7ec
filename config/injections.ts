/** The packets that a run injects by itself, from a file and from arguments. */
import { injectionText, parseInjection, type SourcedInjection } from '../agents/link/inject/injectRule.ts';
import { typedRules, writtenBut } from './typedRules.ts';
import type { FaultSources } from './faultPlan.ts';
import type { ParameterValues } from './table/parameterTable.ts';

/** Those of a run whose parameters can be read: the file's first. */
export function injectionsOf(values: ParameterValues, { faultFile }: FaultSources = {}): readonly SourcedInjection[] {
  return [...(faultFile?.inject ?? []), ...typedRules(values.INJECT, parseInjection, 'INJECT')];
}

/** As they would be typed in one argument; '' for none. */
export function writtenInjections(injections: readonly SourcedInjection[]): string {
  return writtenBut(injections, [], injectionText);
}
