/**
 * Bins as a covergroup declares them (IEEE 1800-2017 19.5). The functions only write down what is wanted; `coverpoint`
 * resolves it.
 *
 * | SystemVerilog                       | here                                        |
 * |-------------------------------------|---------------------------------------------|
 * | `bins a = {0, [4:7]}`               | `bins('a', 0, [4, 7])`                      |
 * | `bins a[] = {[0:3]}`                | `binArray('a', [[0, 3]])`                   |
 * | `bins a[4] = {[0:63]}`              | `binArray('a', [[0, 63]], 4)`               |
 * | bins of an enumerated type          | `enumBins({ read: 0, write: 1 })`           |
 * | `wildcard bins a = {4'b1x0x}`       | `wildcard('a', '1x0x')`                     |
 * | `bins a = (0 => 1 => 2)`            | `transitions('a', [0, 1, 2])`               |
 * | `bins a[] = (0, 1 => 2)`            | `transitionArray('a', [step(0, 1), 2])`     |
 * | `(1 [*3:5])`, `(1 [->2])`, `(1 [=2])` | `step(1).times(3, 5)`, `.goTo(2)`, `.nonConsecutive(2)` |
 * | `bins a = default`                  | `defaultBin('a')`                           |
 * | `ignore_bins`, `illegal_bins`       | `ignore(bins('a', 5))`, `illegal(…)`        |
 * | no bins: `auto[…]`                  | `autoBins(0, 255)`                          |
 */

import type { Values } from './intervals.ts';
import { type Step, StepSet } from './step.ts';

/** What a hit of a bin means: `bins` are to be covered, the others count neither in coverage nor in crosses. @public */
export type BinKind = 'bins' | 'default' | 'ignore' | 'illegal';

/** A declared bin, or an array of them. @public */
export type BinSpec = ValueSpec | WildcardSpec | TransitionSpec | DefaultSpec | AutoSpec;

/** What a coverpoint takes: one declaration or several, nested as is convenient. @public */
export type Bins = BinSpec | readonly Bins[];

/** @public */
export interface ValueSpec {
  readonly type: 'values';
  readonly name: string;
  readonly kind: BinKind;
  readonly values: readonly Values[];
  /** One bin for all values, one a value, or as many as the number says. */
  readonly array: false | true | number;
}

/** @public */
export interface WildcardSpec {
  readonly type: 'wildcard';
  readonly name: string;
  readonly kind: BinKind;
  readonly pattern: string;
}

/** @public */
export interface TransitionSpec {
  readonly type: 'transitions';
  readonly name: string;
  readonly kind: BinKind;
  readonly sequences: readonly (readonly Step[])[];
  /** A bin for every sequence of single values. */
  readonly array: boolean;
}

/** @public */
export interface DefaultSpec {
  readonly type: 'default';
  readonly name: string;
  readonly kind: BinKind;
}

/** @public */
export interface AutoSpec {
  readonly type: 'auto';
  readonly name: string;
  readonly kind: BinKind;
  readonly low: number;
  readonly high: number;
}

/** One bin for all the values. @public */
export function bins(name: string, ...values: readonly Values[]): ValueSpec {
  return { type: 'values', name, kind: 'bins', values, array: false };
}

/**
 * Several bins: `name[value]` for each value, or with `count` that many, `name[0]` and so on, among which the values
 * are shared out in order; what is left over goes to the last.
 * @public
 */
export function binArray(name: string, values: readonly Values[], count?: number): ValueSpec {
  return { type: 'values', name, kind: 'bins', values, array: count ?? true };
}

/**
 * A bin for each member of a numeric enumeration object, or for those named.
 * @param only names of members; default: all
 * @public
 */
export function enumBins<E extends Readonly<Record<string, number>>>(
  members: E,
  only: readonly (keyof E & string)[] = Object.keys(members),
): readonly ValueSpec[] {
  return only.map((name) => bins(name, members[name] as number));
}

/**
 * One bin for the values that fit a pattern of binary digits, in which `x`, `z` and `?` stand for either; `_` is free.
 * @public
 */
export function wildcard(name: string, pattern: string): WildcardSpec {
  return { type: 'wildcard', name, kind: 'bins', pattern };
}

/** One bin that is hit whenever the last samples were one of the sequences. @public */
export function transitions(name: string, ...sequences: readonly (readonly Step[])[]): TransitionSpec {
  return { type: 'transitions', name, kind: 'bins', sequences, array: false };
}

/** A bin for each sequence of single values: `name[0=>2]`, `name[1=>2]`. Steps may not repeat. @public */
export function transitionArray(name: string, ...sequences: readonly (readonly Step[])[]): TransitionSpec {
  return { type: 'transitions', name, kind: 'bins', sequences, array: true };
}

/** A step of a transition that takes any of the values, and may repeat. @public */
export function step(...values: readonly Values[]): StepSet {
  return new StepSet(values);
}

/** Takes the values of no other bin; counted beside coverage, and in no cross. @public */
export function defaultBin(name: string): DefaultSpec {
  return { type: 'default', name, kind: 'default' };
}

/** `auto[low:high]`: at most `autoBinMax` (default 64) bins of equal size. @public */
export function autoBins(low: number, high: number): AutoSpec {
  return { type: 'auto', name: 'auto', kind: 'bins', low, high };
}

/** Takes values or transitions out of all other bins but illegal ones. @public */
export function ignore<T extends BinSpec>(spec: T): T {
  return { ...spec, kind: 'ignore' };
}

/**
 * A hit is an error; beats every other kind. `illegal(defaultBin('others'))` makes all values illegal that have no bin.
 * @public
 */
export function illegal<T extends BinSpec>(spec: T): T {
  return { ...spec, kind: 'illegal' };
}
