/**
 * Covergroups (IEEE 1800-2017 clause 19): declared once, sampled by any number of instances.
 *
 * ```ts
 * export const write_cg = covergroup<Write>('write_cg', { comment: 'sizes and places of writes' }, (g) => {
 *   const size = g.coverpoint('size', (w) => w.length, [bins('one', 1), bins('few', [2, 63]), bins('many', [64, 4096])]);
 *   const aligned = g.coverpoint('aligned', (w) => w.address & 3, binArray('offset', [[0, 3]]));
 *   g.cross('size_x_aligned', [size, aligned]);
 * });
 * ```
 */

import { UvmError } from '../base/uvmError.ts';
import type { Bins } from './binSpec.ts';
import { compileSampler, type SamplerFactory } from './compileSampler.ts';
import { Coverpoint } from './coverpoint.ts';
import { Cross, type CrossOptions } from './cross.ts';
import { type GroupModel, groupHash } from './model.ts';
import { type GroupOptions, type PointOptions, type ResolvedGroupOptions, resolveGroupOptions } from './options.ts';

/** What a declaration calls. @public */
export interface Declaration<S> {
  /**
   * What is sampled of `S`, and into which bins it falls.
   * @param expression a whole number below 2^53
   */
  coverpoint(name: string, expression: (sample: S) => number, bins: Bins, options?: PointOptions<S>): Coverpoint<S>;
  /** Combinations of bins of two or more coverpoints of this group. Default bins are in none. */
  cross(name: string, points: readonly Coverpoint<S>[], options?: CrossOptions<S>): void;
}

/**
 * A covergroup whose instances sample `S`. Nothing of it changes: counters are with the instances. Its declaration is
 * carried out when it is first needed, so that one that nobody samples costs nothing.
 *
 * @param name as in `send_wr_cg`: letters, digits and _
 * @public
 */
export function covergroup<S>(
  name: string,
  options: GroupOptions,
  declare: (group: Declaration<S>) => void,
): Covergroup<S> {
  return new Covergroup(name, options, declare);
}

/** What a declaration has come to. */
interface Carried<S> {
  readonly options: ResolvedGroupOptions;
  readonly points: readonly Coverpoint<S>[];
  readonly crosses: readonly Cross<S>[];
  readonly model: GroupModel;
}

/** @public */
export class Covergroup<S> {
  readonly name: string;
  readonly #carryOut: () => Carried<S>;
  #carried: Carried<S> | undefined;
  #sampler: SamplerFactory<S> | undefined;

  constructor(name: string, options: GroupOptions, declare: (group: Declaration<S>) => void) {
    this.name = name;
    this.#carryOut = () => carriedOut(name, options, declare);
  }

  /** @throws UvmError `COV_DECLARATION` for what cannot be, with group, item, value and what to do; so do the others. */
  get model(): GroupModel {
    return this.#whole.model;
  }

  get options(): ResolvedGroupOptions {
    return this.#whole.options;
  }

  get points(): readonly Coverpoint<S>[] {
    return this.#whole.points;
  }

  get crosses(): readonly Cross<S>[] {
    return this.#whole.crosses;
  }

  /** Makes the function of an instance that counts samples. */
  get sampler(): SamplerFactory<S> {
    this.#sampler ??= compileSampler(this);
    return this.#sampler;
  }

  get #whole(): Carried<S> {
    this.#carried ??= this.#carryOut();
    return this.#carried;
  }
}

function carriedOut<S>(name: string, given: GroupOptions, declare: (group: Declaration<S>) => void): Carried<S> {
  try {
    checkName(name, 'covergroup');
    const options = resolveGroupOptions(given, name);
    const { points, crosses } = declared(name, options, declare);
    const items = [...points, ...crosses].map(({ model }) => model);
    const { weight, goal, comment } = options;
    return {
      options,
      points,
      crosses,
      model: { name, weight, goal, comment, hash: groupHash({ name, items }), items },
    };
  } catch (error) {
    throw error instanceof RangeError ? new UvmError('COV_DECLARATION', error.message) : error;
  }
}

function declared<S>(
  name: string,
  options: ResolvedGroupOptions,
  declare: (group: Declaration<S>) => void,
): Declared<S> {
  const result = new Declared<S>(name, options);
  declare(result);
  if (result.points.length === 0) throw new RangeError(`${name} has no coverpoint`);
  return result;
}

class Declared<S> implements Declaration<S> {
  readonly points: Coverpoint<S>[] = [];
  readonly crosses: Cross<S>[] = [];
  readonly #group: string;
  readonly #options: ResolvedGroupOptions;

  constructor(group: string, options: ResolvedGroupOptions) {
    this.#group = group;
    this.#options = options;
  }

  coverpoint(
    name: string,
    expression: (sample: S) => number,
    bins: Bins,
    options: PointOptions<S> = {},
  ): Coverpoint<S> {
    this.#free(name);
    const point = new Coverpoint(this.#group, this.#options, name, expression, bins, options);
    this.points.push(point);
    return point;
  }

  cross(name: string, points: readonly Coverpoint<S>[], options: CrossOptions<S> = {}): void {
    this.#free(name);
    const where = `${this.#group}.${name}`;
    if (points.length < 2) throw new RangeError(`${where} crosses ${points.length} coverpoints; it takes two or more`);
    if (new Set(points).size < points.length) throw new RangeError(`${where} crosses a coverpoint with itself`);
    const places = points.map((point) => this.points.indexOf(point));
    const foreign = points[places.indexOf(-1)];
    if (foreign !== undefined) throw new RangeError(`${where} crosses '${foreign.name}', which is of another group`);
    // A selection reads names and bins only, whatever is sampled.
    this.crosses.push(
      new Cross(this.#group, this.#options, name, places, this.points as readonly Coverpoint[], options),
    );
  }

  #free(name: string): void {
    checkName(name, `item of ${this.#group}`);
    const taken = [...this.points, ...this.crosses].some((item) => item.name === name);
    if (taken) throw new RangeError(`${this.#group} has two items called '${name}'`);
  }
}

function checkName(name: string, what: string): void {
  if (/^[A-Za-z_]\w*$/.test(name)) return;
  throw new RangeError(`'${name}' is no name for a ${what}; it has letters, digits and _, and no digit in front`);
}
