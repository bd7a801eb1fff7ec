/**
 * Is there one order in which these atomics can have been executed? A pure function: it knows no run.
 *
 * Given are what the word may have held at first, the operations by queue pair, and, where writes to memory are seen, each
 * change of the word in the order in which it came to be: an order must account for every change then. An operation that was
 * answered before another was sent stands in front of that.
 */

import { orderBySteps } from './orderBySteps.ts';
import { orderByValues } from './orderByValues.ts';
import type { SearchLimits, SerialOrder, WordProblem } from './wordProblem.ts';

export function serialOrder(problem: WordProblem, limits: SearchLimits = {}): SerialOrder {
  const { steps } = problem;
  // Without a change and without a value there is nothing that the changes could say.
  if (steps === undefined || (steps.length === 0 && problem.start.isAny)) return orderByValues(problem, limits);
  // Others seldom write just what an atomic makes. Where each change may be theirs, the ways to account for them are very many.
  if (steps.some(({ by }) => by === 'either')) {
    const likely = orderBySteps(problem, steps, { ...limits, bold: true });
    // What is too much for a search that leaves ways out is too much for one that does not.
    if (likely.found !== 'none') return likely;
  }
  return orderBySteps(problem, steps, limits);
}
