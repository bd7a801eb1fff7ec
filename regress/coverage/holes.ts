/** Bins that are to be covered and are not, each with what would hit it as far as that is known. */

import { countedBins, type ListedBin } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import type { Exclusions } from './exclusions.ts';
import type { Totals } from './totals.ts';
import { NO_SHIPPED_BINS, type ShippedBins, type ShippedHit, shippedHits } from './shippedBins.ts';
import { hitsOf } from './totals.ts';

export interface Hole {
  readonly path: string;
  /** Of the group and the item. */
  readonly comment: string;
  readonly hits: number;
  readonly atLeast: number;
  /**
   * A line to paste, '' where none is known: of a shipped run that hits the bin, or with arguments that the coverpoints
   * declare, or the run that came nearest with another seed.
   */
  readonly command: string;
  readonly why: 'shipped' | 'arguments' | 'nearest run' | 'not known';
  /** The shipped run that hits the bin, and what it costs; absent where none does. */
  readonly shipped?: ShippedHit;
}

/** @param index what shipped tests, sequences and lists hit; default: nothing is known of them */
export function holesOf(
  database: CoverageDatabase,
  totals: Totals,
  exclusions: Exclusions,
  index: ShippedBins = NO_SHIPPED_BINS,
): readonly Hole[] {
  const shipped = shippedHits(index);
  return countedBins(database).flatMap((listed) => {
    const { path, group, item, number } = listed;
    const hits = totals.get(groupRef(group))?.get(number) ?? 0;
    if (hits >= item.atLeast || exclusions.ruleOf(listed) !== undefined) return [];
    const comment = [group.comment, item.comment].filter((text) => text !== '').join('; ');
    return [{ path, comment, hits, atLeast: item.atLeast, ...advice(listed, database, shipped.get(path)) }];
  });
}

function advice(
  listed: ListedBin,
  database: CoverageDatabase,
  shipped: ShippedHit | undefined,
): Pick<Hole, 'command' | 'why' | 'shipped'> {
  if (shipped !== undefined) return { command: `./hca_test ${shipped.line}`, why: 'shipped', shipped };
  const given = declaredArguments(listed);
  const near = nearestRun(listed, database.runs);
  if (given !== undefined) return { command: withArguments(near?.run.replay ?? './hca_test', given), why: 'arguments' };
  if (near === undefined || !near.hasItsTraffic) return { command: '', why: 'not known' };
  return { command: anotherSeed(near.run), why: 'nearest run' };
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

/**
 * The cheapest run that has hit most of the bins which the cross combines, or bins beside this one. It has traffic of the kind
 * that can hit the bin where it has hit all that the cross combines, or a neighbour.
 */
function nearestRun(
  { group, item, bin, number }: ListedBin,
  runs: readonly CoverageRun[],
): { readonly run: CoverageRun; readonly hasItsTraffic: boolean } | undefined {
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
  return best && { run: best, hasItsTraffic: bin.at === undefined || most === wanted.length };
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
