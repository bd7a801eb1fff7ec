/** Chooses how finely memory is registered. */
import type { ParameterValues } from '../../table/parameterTable.ts';
import type { DeviceLimits } from '../../../env/deviceLimits.ts';
import { type MemoryBudget, memoryBudget } from './memoryBudget.ts';
import type { Granularity } from './regionNumbering.ts';

/** Data regions per host up to which `auto` goes one step finer. */
export const AUTO_REGION_LIMIT = 4096;

/** What was chosen, and what it takes of the tables of the NIC. */
export interface GranularityChoice {
  readonly granularity: Granularity;
  readonly budget: MemoryBudget;
  /** False when even this choice does not fit the tables. */
  readonly fits: boolean;
}

/**
 * What MR_GRANULARITY asks for; with `auto` the finest that is modest in number and fits, else `qp`.
 * @param area bytes that a queue pair uses of each of its areas
 */
export function chooseGranularity(v: ParameterValues, area: number, limits: DeviceLimits): GranularityChoice {
  if (v.MR_GRANULARITY !== 'auto') return judge(v, v.MR_GRANULARITY as Granularity, area, limits);
  for (const granularity of ['sg', 'request'] as const) {
    const choice = judge(v, granularity, area, limits);
    if (choice.fits && choice.budget.dataRegions <= AUTO_REGION_LIMIT) return choice;
  }
  return judge(v, 'qp', area, limits);
}

function judge(v: ParameterValues, granularity: Granularity, area: number, limits: DeviceLimits): GranularityChoice {
  const budget = memoryBudget(v, granularity, area, limits);
  const pages = limits.maxPages - v.FIRST_MTT;
  return { granularity, budget, fits: budget.regions <= limits.maxRegions && budget.pages <= pages };
}
