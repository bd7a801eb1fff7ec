/** Of atomics that no order explains: a set of results that contradict each other and of which none can be left out. */

import { serialOrder } from './serialOrder.ts';
import { isOpen, type WordAtomic } from './wordAtomic.ts';
import type { WordProblem } from './wordProblem.ts';

/** Results that are not believed leave many orders: a part that takes so many states is kept. */
const STATES = 2000;

/**
 * @param problem one without an order
 * @returns the operations whose results are needed for the contradiction, in their order; none where what is seen of memory
 * has no explanation, whatever they returned
 */
export function minimalContradiction(problem: WordProblem): readonly WordAtomic[] {
  const results = problem.atomics.filter((atomic) => !isOpen(atomic));
  const unheard = new Set<WordAtomic>();
  let needed = results;
  // First large parts at once: of many results only a few are ever needed.
  for (let size = Math.ceil(results.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < needed.length; ) {
      const part = needed.slice(from, from + size);
      for (const atomic of part) unheard.add(atomic);
      if (serialOrder(problem, { unheard, states: STATES }).found === 'none')
        needed = [...needed.slice(0, from), ...needed.slice(from + size)];
      else {
        for (const atomic of part) unheard.delete(atomic);
        from += size;
      }
    }
  }
  return needed;
}
