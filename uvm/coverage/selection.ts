/** Which combinations of a cross a bin takes: `binsof`, `intersect` and their combinations (IEEE 1800-2017 19.6.1). */

import { didYouMean } from '../cmdline/nearest.ts';
import type { Coverpoint } from './coverpoint.ts';
import { intersects, intervalsOf, type Values } from './intervals.ts';
import type { BinModel } from './model.ts';

/** The coverpoints of a cross; what they sample does not matter to a selection. */
export type Crossed = readonly Coverpoint[];

/** Of a combination: a bin of each crossed coverpoint. */
export type Combination = readonly BinModel[];

type Test = (combination: Combination) => boolean;

/** A set of combinations. @public */
export class Selection {
  readonly #resolve: (crossed: Crossed, where: string) => Test;

  /** @param resolve makes the test once the crossed coverpoints are known; throws RangeError for what does not fit */
  constructor(resolve: (crossed: Crossed, where: string) => Test) {
    this.#resolve = resolve;
  }

  /** Tells whether a combination is in the set. @throws RangeError */
  resolve(crossed: Crossed, where: string): Test {
    return this.#resolve(crossed, where);
  }

  and(other: Selection): Selection {
    return this.#with(other, (a, b) => a && b);
  }

  or(other: Selection): Selection {
    return this.#with(other, (a, b) => a || b);
  }

  #with(other: Selection, join: (a: boolean, b: boolean) => boolean): Selection {
    return new Selection((crossed, where) => {
      const first = this.resolve(crossed, where);
      const second = other.resolve(crossed, where);
      return (combination) => join(first(combination), second(combination));
    });
  }
}

/**
 * Combinations with any bin of a coverpoint, with the bins of one name, or with those that have some of the values.
 * @public
 */
export class BinsOf extends Selection {
  readonly #point: Named;
  readonly #name: string | undefined;

  constructor(point: Named, name?: string) {
    super((crossed, where) => this.#test(crossed, where, () => true));
    this.#point = point;
    this.#name = name;
  }

  /** Of these bins, those that have any of the values. */
  intersect(...values: readonly Values[]): Selection {
    return new Selection((crossed, where) => {
      const wanted = intervalsOf(values, `${where}: intersect`);
      return this.#test(crossed, where, (bin) => intersects(bin.values ?? [], wanted));
    });
  }

  #test(crossed: Crossed, where: string, alsoFor: (bin: BinModel) => boolean): Test {
    const point = this.#point;
    const place = crossed.findIndex(({ name }) => name === point.name);
    if (place < 0) {
      throw new RangeError(`${where} crosses ${crossed.map(({ name }) => name).join(' and ')}, not '${point.name}'`);
    }
    const chosen = new Set(this.#named((crossed[place] as Coverpoint).model.bins, where));
    return (combination) => {
      const bin = combination[place] as BinModel;
      return chosen.has(bin) && alsoFor(bin);
    };
  }

  #named(bins: readonly BinModel[], where: string): readonly BinModel[] {
    const name = this.#name;
    if (name === undefined) return bins;
    const found = bins.filter((bin) => bin.name === name || arrayOf(bin.name) === name);
    if (found.length > 0) return found;
    const hint = didYouMean(
      name,
      bins.map((bin) => bin.name),
    );
    throw new RangeError(`${where}: '${this.#point.name}' has no bin '${name}' to cover${hint}`);
  }
}

interface Named {
  readonly name: string;
}

/** @param name of a bin or of an array of bins; default: all of the coverpoint @public */
export function binsof(point: Named, name?: string): BinsOf {
  return new BinsOf(point, name);
}

/** @public */
export function not(selection: Selection): Selection {
  return new Selection((crossed, where) => {
    const test = selection.resolve(crossed, where);
    return (combination) => !test(combination);
  });
}

/** Combinations by the names of their bins, in the order of the cross: `where((op, size) => op === size)`. @public */
export function where(test: (...names: readonly string[]) => boolean): Selection {
  return new Selection(() => (combination) => test(...combination.map(({ name }) => name)));
}

function arrayOf(bin: string): string | undefined {
  const bracket = bin.indexOf('[');
  return bracket < 0 ? undefined : bin.slice(0, bracket);
}
