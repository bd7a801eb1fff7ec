/** Bins that are to be covered and are not, each with what would hit it as far as that is known. */

import { countedBins, type ListedBin } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import type { Exclusions } from './exclusions.ts';
import type { Totals } from './totals.ts';
import { hitsOf } from './totals.ts';

export interface Hole {
  readonly path: string;
  /** Of the group and the item. */
  readonly comment: string;
  readonly hits: number;
  readonly atLeast: number;
  /**
   * A line to paste, '' where none is known. `sure` ones have arguments that the coverpoints declare; others repeat the
   * run that came nearest with another seed.
   */
  readonly command: string;
  readonly why: 'arguments' | 'nearest run' | 'not known';
}

export function holesOf(database: CoverageDatabase, totals: Totals, exclusions: Exclusions): readonly Hole[] {
  return countedBins(database).flatMap((listed) => {
    const { path, group, item, number } = listed;
    const hits = totals.get(groupRef(group))?.get(number) ?? 0;
    if (hits >= item.atLeast || exclusions.ruleOf(listed) !== undefined) return [];
    const comment = [group.comment, item.comment].filter((text) => text !== '').join('; ');
    return [{ path, comment, hits, atLeast: item.atLeast, ...advice(listed, database) }];
  });
}

function advice(listed: ListedBin, database: CoverageDatabase): Pick<Hole, 'command' | 'why'> {
  const given = declaredArguments(listed);
  const near = nearestRun(listed, database.runs);
  if (given !== undefined) return { command: withArguments(near?.replay ?? './hca_test', given), why: 'arguments' };
  if (near === undefined) return { command: '', why: 'not known' };
  return { command: anotherSeed(near), why: 'nearest run' };
}

/** Of two arguments of one name the first counts: those of the line give way. */
function withArguments(line: string, given: string): string {
  const names = given.split(' ').map((word) => word.split('=')[0] as string);
  const left = line.split(' ').filter((word) => !names.includes(word.split('=')[0] as string));
  return [...left, given].join(' ');
}

/**
 * Plusargs with which a run is likely to hit a bin, as its coverpoint declares them. Of a cross: those of its bins together,
 * unless two of them want the same plusarg otherwise.
 */
export function declaredArguments({ group, item, bin }: Pick<ListedBin, 'group' | 'item' | 'bin'>): string | undefined {
  if (bin.arguments !== undefined) return bin.arguments;
  const [at] = bin.at ?? [];
  if (at === undefined) return undefined;
  const parts = crossedBins(group.items, item.of ?? [], at).map((crossed) => crossed?.arguments);
  const words = parts.flatMap((part) => part?.split(' ') ?? []);
  const values = new Map<string, string>();
  for (const word of words) {
    const [name = word] = word.split('=');
    if (values.has(name) && values.get(name) !== word) return undefined;
    values.set(name, word);
  }
  return values.size === 0 ? undefined : [...values.values()].join(' ');
}

type Items = ListedBin['group']['items'];

function crossedBins(
  items: Items,
  of: readonly string[],
  at: readonly number[],
): readonly (ListedBin['bin'] | undefined)[] {
  return of.map((name, i) => items.find((item) => item.name === name)?.bins[at[i] as number]);
}

/** The cheapest run that has hit the bins which the cross combines, or bins beside this one. */
function nearestRun({ group, item, bin, number }: ListedBin, runs: readonly CoverageRun[]): CoverageRun | undefined {
  const wanted =
    bin.at === undefined ? neighbours(group, item, number) : componentNumbers(group, item, bin.at[0] ?? []);
  let best: CoverageRun | undefined;
  let most = 0;
  for (const run of runs) {
    const score = wanted.filter((n) => hitsOf(run, group, n) > 0).length;
    if (score > most || (score === most && best !== undefined && score > 0 && run.events < best.events)) {
      best = run;
      most = score;
    }
  }
  return best;
}

function componentNumbers(
  group: ListedBin['group'],
  item: ListedBin['item'],
  at: readonly number[],
): readonly number[] {
  return (item.of ?? []).map((name, i) => firstOf(group, name) + (at[i] as number));
}

function neighbours(group: ListedBin['group'], item: ListedBin['item'], number: number): readonly number[] {
  const first = firstOf(group, item.name);
  return [number - 1, number + 1].filter((n) => n >= first && n < first + item.bins.length);
}

function firstOf({ items }: ListedBin['group'], name: string): number {
  let first = 0;
  for (const item of items) {
    if (item.name === name) return first;
    first += item.bins.length;
  }
  return first;
}

/** The same command with the next seed: the run itself has not hit the bin. */
function anotherSeed({ replay, seed }: CoverageRun): string {
  const next = (seed + 1) >>> 0;
  const changed = replay.replace(new RegExp(`(--seed[= ])${seed}\\b`), `$1${next}`);
  return changed === replay ? `${replay} --seed ${next}` : changed;
}
