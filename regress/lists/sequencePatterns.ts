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
  /** Sequences that stand there for a pattern: those that a NIC cannot play are left out, as nobody has named them. */
  readonly found: ReadonlySet<string>;
  readonly mistakes: readonly { readonly step: number; readonly message: string }[];
}

/** @param names of all sequences that there are */
export function withSequences(entry: ListEntry, names: readonly string[]): Found {
  const written = entry.sweep?.[AXIS];
  if (written === undefined || !written.some(isPattern)) return { entry, found: new Set(), mistakes: [] };
  const mistakes: { step: number; message: string }[] = [];
  let steps: SweepStep[] = [];
  const found = new Set<string>();
  for (const [i, step] of written.entries()) {
    if (!isPattern(step)) {
      steps.push(step);
      continue;
    }
    const isOut = step.startsWith('!');
    const pattern = new Wildcard(isOut ? step.slice(1) : step);
    const all = names.filter((name) => pattern.matches(name));
    if (all.length === 0) mistakes.push({ step: i, message: `${step} matches no sequence` });
    if (isOut) {
      steps = steps.filter((name) => !(typeof name === 'string' && pattern.matches(name)));
      continue;
    }
    for (const name of all.sort()) {
      if (steps.includes(name)) continue;
      steps.push(name);
      found.add(name);
    }
  }
  return { entry: { ...entry, sweep: { ...entry.sweep, [AXIS]: steps } }, found, mistakes };
}

function isPattern(step: SweepStep): step is string {
  return typeof step === 'string' && (step.startsWith('!') || /[*?]/.test(step));
}
