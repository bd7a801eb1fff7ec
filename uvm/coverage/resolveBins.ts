/** From declared bins to single bins with names and sets of values. */

import type { AutoSpec, BinKind, Bins, BinSpec, TransitionSpec, ValueSpec, WildcardSpec } from './binSpec.ts';
import { type Interval, intervalOf, intervalsOf, sizeOf, united, without } from './intervals.ts';
import { type Repetition, type Step, StepSet } from './step.ts';

export interface ValueBin {
  readonly type: 'values';
  readonly name: string;
  readonly kind: BinKind;
  readonly values: readonly Interval[];
}

export interface SequenceStep {
  readonly values: readonly Interval[];
  readonly repetition: Repetition;
}

export interface TransitionBin {
  readonly type: 'transitions';
  readonly name: string;
  readonly kind: BinKind;
  readonly sequences: readonly (readonly SequenceStep[])[];
}

export interface DefaultBin {
  readonly type: 'default';
  readonly name: string;
  readonly kind: BinKind;
}

export type ResolvedBin = ValueBin | TransitionBin | DefaultBin;

/** More bins in an array than anybody reads, and more parts of a wildcard than a table should have. */
const MOST_BINS = 4096;

/**
 * Single bins in the order of declaration. What ignore and illegal bins take is taken out of the others; a bin that has
 * nothing left is left out.
 * @param where begins the text of an error: `send_wr_cg.opcode`
 * @throws RangeError
 */
export function resolveBins(given: Bins, autoBinMax: number, where: string): readonly ResolvedBin[] {
  const all = flat(given).flatMap((spec) => resolved(spec, autoBinMax, `${where}: bin '${spec.name}'`));
  if (!all.some(({ kind }) => kind === 'bins')) {
    throw new RangeError(`${where} has no bin to cover; declare bins(...), enumBins(...) or autoBins(low, high)`);
  }
  noRepeats(all, where);
  const illegal = takenBy(all, ['illegal']);
  const excluded = takenBy(all, ['illegal', 'ignore']);
  return all.flatMap((bin) => {
    if (bin.type !== 'values' || bin.kind === 'illegal') return [bin];
    const values = without(bin.values, bin.kind === 'ignore' ? illegal : excluded);
    return values.length === 0 ? [] : [{ ...bin, values }];
  });
}

function flat(given: Bins): readonly BinSpec[] {
  return Array.isArray(given) ? (given as readonly Bins[]).flatMap(flat) : [given as BinSpec];
}

function resolved(spec: BinSpec, autoBinMax: number, where: string): readonly ResolvedBin[] {
  switch (spec.type) {
    case 'values':
      return valueBins(spec, where);
    case 'wildcard':
      return [{ type: 'values', name: spec.name, kind: spec.kind, values: patternValues(spec, where) }];
    case 'transitions':
      return transitionBins(spec, where);
    case 'auto':
      return autoBins(spec, autoBinMax, where);
    case 'default':
      return [spec];
  }
}

function valueBins({ name, kind, values: given, array }: ValueSpec, where: string): readonly ValueBin[] {
  if (given.length === 0) throw new RangeError(`${where} has no values`);
  if (array === false) return [{ type: 'values', name, kind, values: intervalsOf(given, where) }];
  // Values that are given twice count twice when they are shared out (19.5.1).
  const ranges = given.map((value) => intervalOf(value, where));
  if (array === true) return eachValue(united(ranges), name, kind, where);
  return shared(ranges, array, where).map((values, i) => ({ type: 'values', name: `${name}[${i}]`, kind, values }));
}

function eachValue(ranges: readonly Interval[], name: string, kind: BinKind, where: string): readonly ValueBin[] {
  fits(sizeOf(ranges), where, 'give binArray a count');
  return singles(ranges).map((v) => ({ type: 'values', name: `${name}[${v}]`, kind, values: [[v, v]] }));
}

/** `count` sets of as many values each as go into the number of values, the last with the rest; fewer if there are fewer. */
function shared(ranges: readonly Interval[], count: number, where: string): readonly (readonly Interval[])[] {
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${where}: ${count} bins; it is 1 or more`);
  fits(count, where, 'ask for fewer');
  const total = sizeOf(ranges);
  const number = Math.min(count, total);
  const each = Math.floor(total / number);
  return Array.from({ length: number }, (_, i) => {
    const end = i === number - 1 ? total : (i + 1) * each;
    return united(slice(ranges, i * each, end));
  });
}

/** The values from one position to before another of ranges laid end to end. */
function slice(ranges: readonly Interval[], from: number, to: number): readonly Interval[] {
  const parts: Interval[] = [];
  let begin = 0;
  for (const [low, high] of ranges) {
    const first = Math.max(from - begin, 0);
    const last = Math.min(to - begin, high - low + 1) - 1;
    if (first <= last) parts.push([low + first, low + last]);
    begin += high - low + 1;
  }
  return parts;
}

function autoBins({ low, high, kind }: AutoSpec, most: number, where: string): readonly ValueBin[] {
  const range = intervalOf([low, high], where);
  return shared([range], most, where).map((values) => {
    const [from, to] = values[0] as Interval;
    return { type: 'values', name: from === to ? `auto[${from}]` : `auto[${from}:${to}]`, kind, values };
  });
}

function patternValues({ pattern }: WildcardSpec, where: string): readonly Interval[] {
  const digits = pattern.replaceAll('_', '');
  if (!/^[01xXzZ?]{1,52}$/.test(digits)) {
    throw new RangeError(`${where}: the pattern '${pattern}' is not of 1 to 52 digits 0, 1, x, z or ?`);
  }
  const tail = /[xXzZ?]*$/.exec(digits)?.[0].length ?? 0;
  const span = 2 ** tail;
  let starts = [0];
  for (const digit of digits.slice(0, digits.length - tail)) {
    starts = starts.flatMap((n) => (/[01]/.test(digit) ? [2 * n + Number(digit)] : [2 * n, 2 * n + 1]));
    fits(starts.length, where, 'sample the bits that matter alone, as in (s) => s.psn & 7');
  }
  return united(starts.map((n) => [n * span, (n + 1) * span - 1]));
}

function transitionBins(spec: TransitionSpec, where: string): readonly TransitionBin[] {
  const { name, kind, array } = spec;
  const sequences = spec.sequences.map((steps) => steps.map((step) => sequenceStep(step, where)));
  if (sequences.length === 0) throw new RangeError(`${where} has no sequence`);
  for (const steps of sequences) {
    if (steps.length === 0) throw new RangeError(`${where} has a sequence without a step`);
    if (steps.length === 1 && (steps[0] as SequenceStep).repetition.to === 1) {
      throw new RangeError(`${where} has a sequence of one step, which is no transition; use bins(...)`);
    }
  }
  if (!array) return [{ type: 'transitions', name, kind, sequences }];
  return sequences
    .flatMap((steps) => expanded(steps, where))
    .map((values) => ({
      type: 'transitions',
      name: `${name}[${values.join('=>')}]`,
      kind,
      sequences: [values.map((v) => sequenceStep(v, where))],
    }));
}

function sequenceStep(step: Step, where: string): SequenceStep {
  const { values, repetition } = typeof step === 'number' ? new StepSet([step]) : step;
  return { values: intervalsOf(values, where), repetition };
}

/** Every sequence of single values that the steps allow. */
function expanded(steps: readonly SequenceStep[], where: string): readonly (readonly number[])[] {
  let sequences: readonly (readonly number[])[] = [[]];
  for (const { values, repetition } of steps) {
    if (repetition.to > 1) throw new RangeError(`${where}: steps of transitionArray do not repeat; use transitions`);
    fits(sequences.length * sizeOf(values), where, 'give fewer values');
    sequences = sequences.flatMap((before) => singles(values).map((v) => [...before, v]));
  }
  return sequences;
}

function singles(values: readonly Interval[]): readonly number[] {
  return values.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, i) => low + i));
}

function fits(count: number, where: string, hint: string): void {
  if (count > MOST_BINS) throw new RangeError(`${where} makes ${count} parts, the limit is ${MOST_BINS}; ${hint}`);
}

function takenBy(all: readonly ResolvedBin[], kinds: readonly BinKind[]): readonly Interval[] {
  return united(all.flatMap((bin) => (bin.type === 'values' && kinds.includes(bin.kind) ? bin.values : [])));
}

function noRepeats(all: readonly ResolvedBin[], where: string): void {
  const names = new Set<string>();
  for (const { name } of all) {
    if (names.has(name)) throw new RangeError(`${where} has two bins called '${name}'`);
    names.add(name);
  }
  if (all.filter(({ type }) => type === 'default').length > 1) throw new RangeError(`${where} has two default bins`);
}
