/** A cross, compiled: every combination of what coverpoints may mean has a cell; bins are read from cells afterwards. */

import type { BinKind } from './binSpec.ts';
import type { Coverpoint } from './coverpoint.ts';
import type { BinModel, ItemModel } from './model.ts';
import { type ItemOptions, type ResolvedGroupOptions, resolveItemOptions } from './options.ts';
import type { Selection } from './selection.ts';

export interface CrossOptions<S> extends ItemOptions<S> {
  /** Bins by name, each for a set of combinations; the other combinations have a bin each. */
  readonly bins?: Readonly<Record<string, Selection>>;
  /** Combinations that count for nothing. */
  readonly ignore?: Readonly<Record<string, Selection>>;
  /** Combinations that must not happen: a hit is an error. Beats `ignore`, which beats `bins`. */
  readonly illegal?: Readonly<Record<string, Selection>>;
  /** Whether combinations that no bin of `bins` takes have one of their own. Default true. */
  readonly retainAutoBins?: boolean;
}

/** Cells of a cross: above, its counters would outweigh the run. */
const MOST_CELLS = 1 << 20;

/** @public */
export class Cross<S = never> {
  readonly name: string;
  readonly model: ItemModel;
  readonly iff: ((sample: S) => boolean) | null;
  /** Places of the crossed coverpoints in the group. */
  readonly points: readonly number[];
  /** By crossed coverpoint: what one more of its outcome adds to the cell. */
  readonly strides: readonly number[];
  readonly cells: number;
  /** By cell: 1 where it hits an illegal bin; null if there are none. */
  readonly illegal: Uint8Array | null;
  readonly #crossed: readonly Coverpoint[];
  /** By crossed coverpoint and bin: place among the bins that are crossed, or -1. */
  readonly #places: readonly (readonly number[])[];
  /** By combination of those: bins of this cross. */
  readonly #hitBy: readonly (readonly number[])[];

  /**
   * @param all coverpoints of the group
   * @throws RangeError for a cross that cannot be
   */
  constructor(
    group: string,
    groupOptions: ResolvedGroupOptions,
    name: string,
    points: readonly number[],
    all: readonly Coverpoint[],
    options: CrossOptions<S>,
  ) {
    const where = `${group}.${name}`;
    const crossed = points.map((place) => all[place] as Coverpoint);
    const item = resolveItemOptions(options, groupOptions, where);
    this.name = name;
    this.iff = options.iff ?? null;
    this.points = points;
    this.#crossed = crossed;
    this.cells = crossed.reduce((n, { outcomes }) => n * outcomes, 1);
    if (this.cells > MOST_CELLS) throw new RangeError(tooLarge(where, crossed, this.cells));
    this.strides = stridesOf(crossed.map(({ outcomes }) => outcomes));
    const dimensions = crossed.map(({ model }) =>
      model.bins.flatMap(({ kind }, bin) => (kind === 'bins' ? [bin] : [])),
    );
    this.#places = crossed.map(({ model }, i) => model.bins.map((_, bin) => (dimensions[i] ?? []).indexOf(bin)));
    const { bins, hitBy } = assign(crossed, dimensions, options, where);
    this.#hitBy = hitBy;
    this.model = { kind: 'cross', name, of: crossed.map((point) => point.name), ...item, bins };
    this.illegal = this.#illegalCells();
  }

  /** Bins that a sample hits which has led to this cell, each once for every combination in it. */
  hits(cell: number): readonly number[] {
    let combinations: readonly number[] = [0];
    for (const [i, point] of this.#crossed.entries()) {
      const outcome = Math.floor(cell / (this.strides[i] as number)) % point.outcomes;
      const places = this.#places[i] as readonly number[];
      const radix = places.filter((place) => place >= 0).length;
      const hit = (point.hitBy[outcome] ?? []).map((bin) => places[bin] as number).filter((place) => place >= 0);
      combinations = combinations.flatMap((before) => hit.map((place) => before * radix + place));
    }
    return combinations.flatMap((combination) => this.#hitBy[combination] ?? []);
  }

  #illegalCells(): Uint8Array | null {
    const { bins } = this.model;
    if (!bins.some(({ kind }) => kind === 'illegal')) return null;
    return Uint8Array.from({ length: this.cells }, (_, cell) =>
      Number(this.hits(cell).some((bin) => bins[bin]?.kind === 'illegal')),
    );
  }
}

interface Assigned {
  readonly bins: readonly BinModel[];
  readonly hitBy: readonly (readonly number[])[];
}

interface UserBin {
  readonly name: string;
  readonly kind: BinKind;
  readonly takes: (combination: readonly BinModel[]) => boolean;
  readonly at: (readonly number[])[];
  readonly combinations: number[];
}

/** Which combination belongs to which bin. */
function assign<S>(
  crossed: readonly Coverpoint[],
  dimensions: readonly (readonly number[])[],
  options: CrossOptions<S>,
  where: string,
): Assigned {
  const user = userBins(crossed, options, where);
  const combinations = product(dimensions);
  const auto: { readonly bin: BinModel; readonly combination: number }[] = [];
  for (const [number, at] of combinations.entries()) {
    const combination = at.map((bin, i) => crossed[i]?.model.bins[bin] as BinModel);
    const takers = strongest(user.filter(({ takes }) => takes(combination)));
    for (const taker of takers) {
      taker.at.push(at);
      taker.combinations.push(number);
    }
    if (takers.length > 0 || options.retainAutoBins === false) continue;
    const name = `<${combination.map((bin) => bin.name).join()}>`;
    auto.push({ bin: { name, kind: 'bins', at: [at] }, combination: number });
  }
  // A bin of which ignore or illegal has taken all cannot be hit.
  const kept = user.filter(({ kind, at }) => kind !== 'bins' || at.length > 0);
  const bins = [...kept.map(({ name, kind, at }) => ({ name, kind, at })), ...auto.map(({ bin }) => bin)];
  if (!bins.some(({ kind }) => kind === 'bins')) throw new RangeError(`${where} has no combination left to cover`);
  const hitBy: number[][] = combinations.map(() => []);
  for (const [bin, { combinations: taken }] of kept.entries()) for (const n of taken) hitBy[n]?.push(bin);
  for (const [i, { combination }] of auto.entries()) hitBy[combination]?.push(kept.length + i);
  return { bins, hitBy };
}

function userBins<S>(crossed: readonly Coverpoint[], options: CrossOptions<S>, where: string): readonly UserBin[] {
  const given = (['bins', 'ignore', 'illegal'] as const).flatMap((kind) =>
    Object.entries(options[kind] ?? {}).map(([name, selection]) => ({
      name,
      kind,
      takes: selection.resolve(crossed, `${where}: bin '${name}'`),
      at: [],
      combinations: [],
    })),
  );
  const names = new Set<string>();
  for (const { name } of given) {
    if (names.has(name)) throw new RangeError(`${where} has two bins called '${name}'`);
    names.add(name);
  }
  return given;
}

function strongest(takers: readonly UserBin[]): readonly UserBin[] {
  for (const kind of ['illegal', 'ignore'] as const) {
    const such = takers.filter((taker) => taker.kind === kind);
    if (such.length > 0) return such;
  }
  return takers;
}

/** All combinations; the last dimension runs fastest. */
function product(dimensions: readonly (readonly number[])[]): readonly (readonly number[])[] {
  let result: readonly (readonly number[])[] = [[]];
  for (const bins of dimensions) result = result.flatMap((before) => bins.map((bin) => [...before, bin]));
  return result;
}

function stridesOf(sizes: readonly number[]): readonly number[] {
  return sizes.map((_, i) => sizes.slice(0, i).reduce((n, size) => n * size, 1));
}

function tooLarge(where: string, crossed: readonly Coverpoint[], cells: number): string {
  const sizes = crossed.map(({ name, outcomes }) => `${name} ${outcomes}`).join(', ');
  return `${where} has ${cells} combinations of outcomes (${sizes}), the limit is ${MOST_CELLS}; use fewer bins`;
}
