/**
 * Sequences of a sweep that are found by themselves: a pattern with `*` or `?` stands for all that match, `!name` or `!pattern`
 * leaves some out again. Seeds derive from names, so that a new sequence shifts no other.
 */

import { Wildcard } from '../../uvm/base/wildcard.ts';
import type { ListEntry, SweepStep } from './listSchema.ts';

/** The axis that may have patterns. */
const AXIS = 'UVM_TEST_SEQ';

/** An entry with names in place of patterns, and what is wrong with these, by the place among the steps. */
export interface Found {
  readonly entry: ListEntry;
  readonly mistakes: readonly { readonly step: number; readonly message: string }[];
}

/** @param names of all sequences that there are */
export function withSequences(entry: ListEntry, names: readonly string[]): Found {
  const steps = entry.sweep?.[AXIS];
  if (steps === undefined || !steps.some(isPattern)) return { entry, mistakes: [] };
  const mistakes: { step: number; message: string }[] = [];
  let found: SweepStep[] = [];
  for (const [i, step] of steps.entries()) {
    if (!isPattern(step)) {
      found.push(step);
      continue;
    }
    const isOut = step.startsWith('!');
    const pattern = new Wildcard(isOut ? step.slice(1) : step);
    const all = names.filter((name) => pattern.matches(name));
    if (all.length === 0) mistakes.push({ step: i, message: `${step} matches no sequence` });
    if (isOut) found = found.filter((name) => !(typeof name === 'string' && pattern.matches(name)));
    else found.push(...all.sort().filter((name) => !found.includes(name)));
  }
  return { entry: { ...entry, sweep: { ...entry.sweep, [AXIS]: found } }, mistakes };
}

function isPattern(step: SweepStep): step is string {
  return typeof step === 'string' && (step.startsWith('!') || /[*?]/.test(step));
}
