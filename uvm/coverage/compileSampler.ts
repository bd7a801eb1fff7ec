/**
 * The function that samples a covergroup, made for it from text.
 *
 * A loop over coverpoints would call all their expressions from one place, which no engine can see through: every sample
 * would cost a dozen calls. Here each expression has a call of its own, which is compiled into the function, so that a
 * coverpoint costs little more than its look-up: about a tenth of the loop.
 */

import type { Coverpoint } from './coverpoint.ts';
import type { Cross } from './cross.ts';

/** Told of hits of illegal bins. */
export type OnIllegal = (text: () => string) => void;

/** What is sampled: a covergroup. */
interface Sampled<S> {
  readonly name: string;
  readonly points: readonly Coverpoint<S>[];
  readonly crosses: readonly Cross<S>[];
}

/** Where a sampler counts: by coverpoint and by cross. */
export interface SamplerCounters {
  readonly points: readonly Float64Array[];
  readonly crosses: readonly Float64Array[];
}

/** Counts a sample, as often as `times` says; default once. */
export type Sampler<S> = (sample: S, times?: number) => void;

/** Makes the sampler of an instance: transitions that are under way are its own. */
export type SamplerFactory<S> = (counters: SamplerCounters, onIllegal: OnIllegal) => Sampler<S>;

/** What the text of a factory refers to. */
interface Referred<S> {
  readonly points: readonly Coverpoint<S>[];
  readonly crosses: readonly Cross<S>[];
  readonly pointText: (point: Coverpoint<S>, outcome: number, value: number) => () => string;
  readonly crossText: (cross: Cross<S>, cell: number) => () => string;
}

export function compileSampler<S>(group: Sampled<S>): SamplerFactory<S> {
  const { points, crosses } = group;
  const constants = [...points.map(pointConstants), ...crosses.map(crossConstants)];
  const body = [...points.map((point, i) => pointCode(point, i)), ...crosses.map(crossCode)];
  const text = `
    return (counters, tell) => {
      ${constants.join('\n      ')}
      return (sample, times = 1) => {
        ${body.join('\n        ')}
      };
    };`;
  const referred: Referred<S> = {
    points,
    crosses,
    pointText: (point, outcome, value) => pointText(group.name, point, outcome, value),
    crossText: (cross, cell) => crossText(group, cross, cell),
  };
  const make = new Function('referred', text) as (referred: Referred<S>) => SamplerFactory<S>;
  return points.some(({ machine }) => machine !== null) ? oneByOne(make(referred)) : make(referred);
}

/** Transitions tell one sample from several of the same. */
function oneByOne<S>(factory: SamplerFactory<S>): SamplerFactory<S> {
  return (counters, onIllegal) => {
    const sample = factory(counters, onIllegal);
    return (value, times = 1) => {
      for (let n = 0; n < times; n++) sample(value);
    };
  };
}

function pointConstants(_point: unknown, i: number): string {
  return `const p${i} = referred.points[${i}], e${i} = p${i}.expression, i${i} = p${i}.iff, l${i} = p${i}.classes, \
t${i} = l${i}.table, n${i} = p${i}.machine === null ? null : p${i}.machine.next, b${i} = p${i}.illegal, \
c${i} = counters.points[${i}]; let s${i} = 0;`;
}

function crossConstants(_cross: unknown, i: number): string {
  return `const x${i} = referred.crosses[${i}], xi${i} = x${i}.iff, xb${i} = x${i}.illegal, xc${i} = counters.crosses[${i}];`;
}

function pointCode<S>({ iff, classes, machine, illegal }: Coverpoint<S>, i: number): string {
  const { low, span } = classes;
  const found =
    span > 0
      ? `const a${i} = v${i} - ${low}; o${i} = a${i} >= 0 && a${i} < ${span} ? t${i}[a${i} | 0] : 0;`
      : `o${i} = l${i}.of(v${i});`;
  const moved = machine === null ? '' : `o${i} = s${i} = n${i}[s${i} * ${classes.count} + o${i}];`;
  const wrong = illegal === null ? '' : `if (b${i}[o${i}] !== 0) tell(referred.pointText(p${i}, o${i}, v${i}));`;
  const counted = `const v${i} = e${i}(sample); ${found} ${moved} c${i}[o${i}] += times; ${wrong}`;
  return `let o${i} = 0; ${iff === null ? `{ ${counted} }` : `if (i${i}(sample)) { ${counted} }`}`;
}

function crossCode<S>({ iff, illegal, points, strides }: Cross<S>, i: number): string {
  const cell = points.map((point, dimension) => `o${point} * ${strides[dimension]}`).join(' + ');
  const wrong = illegal === null ? '' : `if (xb${i}[cell] !== 0) tell(referred.crossText(x${i}, cell));`;
  const counted = `{ const cell = ${cell}; xc${i}[cell] += times; ${wrong} }`;
  return iff === null ? counted : `if (xi${i}(sample)) ${counted}`;
}

function pointText<S>(group: string, point: Coverpoint<S>, outcome: number, value: number): () => string {
  const { name, model, hitBy } = point;
  return () => `${group}.${name} is ${value}: ${illegalNames(model.bins, hitBy[outcome] ?? [])}`;
}

function crossText<S>({ name, points }: Sampled<S>, cross: Cross<S>, cell: number): () => string {
  const parts = cross.points.map((place, i) => {
    const point = points[place] as Coverpoint<S>;
    const outcome = Math.floor(cell / (cross.strides[i] as number)) % point.outcomes;
    const names = (point.hitBy[outcome] ?? []).map((bin) => point.model.bins[bin]?.name);
    return `${point.name} ${names.join('+')}`;
  });
  return () => `${name}.${cross.name} has ${parts.join(', ')}: ${illegalNames(cross.model.bins, cross.hits(cell))}`;
}

function illegalNames(
  bins: readonly { readonly name: string; readonly kind: string }[],
  hits: readonly number[],
): string {
  const names = hits.flatMap((bin) => (bins[bin]?.kind === 'illegal' ? [`'${bins[bin].name}'`] : []));
  return `hits illegal bin ${[...new Set(names)].join(' and ')}`;
}
