/** What is asked of a search for an order, what it answers, and how far it may go. */

import type { PossibleValues } from './possibleValues.ts';
import { isOpen, type WordAtomic } from './wordAtomic.ts';

/** A change of a word in memory. */
export interface WordStep {
  /** When it was seen, ps. */
  readonly at: number;
  readonly before: bigint;
  readonly after: bigint;
  /** Who made it: an atomic, software or a request that certainly was none, or either. */
  readonly by: 'atomic' | 'other' | 'either';
}

export interface WordProblem {
  /** What the word may hold at first. */
  readonly start: PossibleValues;
  /** Those of one chain in its order. */
  readonly atomics: readonly WordAtomic[];
  /** All changes of the word, first to last; undefined where they are not seen. */
  readonly steps?: readonly WordStep[];
  /** The first so many changes, which are others', are accounted for: an atomic that comes may have read the word in between. Default 0. */
  readonly passed?: number;
  /** Only the changes are to be accounted for: what was answered may also come later. */
  readonly prefix?: boolean;
}

/** What every order has in common. */
export interface Settled {
  /** Changes that are accounted for. */
  readonly steps: number;
  /** Of those, the last ones that are others' and behind the latest atomic. */
  readonly passed: number;
  readonly atomics: readonly WordAtomic[];
}

interface Order {
  readonly found: 'order';
  readonly settled: Settled;
  /** Executed in some orders and not in others, or at another place. */
  readonly perhaps: readonly WordAtomic[];
  /** What the word may hold behind them. */
  readonly finals: PossibleValues;
}

export type SerialOrder =
  | Order
  | {
      readonly found: 'none';
      /** Changes that could be accounted for, at the most. */
      readonly explained: number;
    }
  | { readonly found: 'undecided' };

/** How a search is narrowed. */
export interface SearchLimits {
  /** Takes what an atomic can have made for made by one, also where others may have written it. Default: both are possible. */
  readonly bold?: boolean;
  /** Operations whose results are not to be believed: they were executed, and returned something. */
  readonly unheard?: ReadonlySet<WordAtomic> | undefined;
  /** States in which several operations could come next, for one search; behind them nothing is said. Default 10 000. */
  readonly states?: number;
}

export const MOST_STATES = 10_000;

/** Operations of a queue pair, and how many of them must be placed. */
export interface Chain {
  readonly atomics: readonly WordAtomic[];
  readonly must: number;
  /** By operation: the earliest answer of those from it on that must be placed, ps. */
  readonly until: readonly number[];
}

export function chainsOf(atomics: readonly WordAtomic[]): readonly Chain[] {
  const byChain = new Map<number, WordAtomic[]>();
  for (const atomic of atomics) {
    const list = byChain.get(atomic.chain);
    if (list === undefined) byChain.set(atomic.chain, [atomic]);
    else list.push(atomic);
  }
  return [...byChain.values()].map(chainOf);
}

/** The earliest answer of what is still to be placed, ps. @param placed how many of each chain are */
export function latestOf(chains: readonly Chain[], placed: readonly number[]): number {
  let latest = Number.POSITIVE_INFINITY;
  for (let c = 0; c < chains.length; c++) {
    const { until, must } = chains[c] as Chain;
    const at = placed[c] as number;
    if (at < must) latest = Math.min(latest, until[at] as number);
  }
  return latest;
}

function chainOf(atomics: readonly WordAtomic[]): Chain {
  // Certainly executed are all up to the last that was answered.
  const must = atomics.findLastIndex((atomic) => !isOpen(atomic)) + 1;
  const until = atomics.slice(0, must).map((atomic) => atomic.until);
  for (let i = must - 2; i >= 0; i--) until[i] = Math.min(until[i] as number, until[i + 1] as number);
  return { atomics, must, until };
}
