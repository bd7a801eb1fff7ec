/** What makes no sense in what rules of any language may select by: counts, chance and time. */

import type { RuleMistake } from './ruleMistake.ts';

/** @param what the thing that is counted, in the singular */
export function countMistakes(
  select: { readonly nth?: unknown; readonly every?: unknown },
  what: string,
): RuleMistake[] {
  if (select.nth === undefined || select.every === undefined) return [];
  return [
    { key: 'every', message: `nth and every: nth selects one ${what}, every selects them periodically; keep one` },
  ];
}

export function windowMistakes(select: { readonly from?: number; readonly until?: number }): RuleMistake[] {
  const { from, until } = select;
  if (from === undefined || until === undefined || from < until) return [];
  return [{ key: 'until', message: 'until is not behind from: the window is empty; let until be later' }];
}

export function chanceMistakes({ probability }: { readonly probability?: number }): RuleMistake[] {
  if (probability !== 0) return [];
  return [{ key: 'probability', message: 'with probability=0 the rule never acts; leave the rule out' }];
}
