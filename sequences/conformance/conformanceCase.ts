/** How cases of the conformance list are written. */
import type { SequenceNeeds } from '../user/sequenceNeeds.ts';
import type { ConformanceCase, Play } from './caseBench.ts';

/**
 * Cases of one subject, which need the same of a NIC. The name of each method is the id of the behaviour that it plays, as
 * conformance/*.yaml has it, with `_` for `-`.
 */
export function subject(
  capabilities: NonNullable<SequenceNeeds['capabilities']>,
  plays: Readonly<Record<string, Play>>,
  more: Omit<SequenceNeeds, 'capabilities'> = {},
): readonly ConformanceCase[] {
  const needs = { ...more, capabilities };
  return Object.entries(plays).map(([name, play]) => ({ id: name.replace('_', '-'), needs, play }));
}
