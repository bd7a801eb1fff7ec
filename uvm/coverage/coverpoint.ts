/** A coverpoint, compiled: what a sampled value leads to. */

import type { Bins } from './binSpec.ts';
import type { BinModel, ItemModel } from './model.ts';
import { type PointOptions, type ResolvedGroupOptions, resolveItemOptions } from './options.ts';
import { type ResolvedBin, resolveBins, type SequenceStep } from './resolveBins.ts';
import { machineOf, type TransitionMachine, TransitionNet } from './transitionMachine.ts';
import { ValueClasses } from './valueClasses.ts';

/**
 * An outcome is all that a sample may mean to a coverpoint: samples of one outcome hit the same bins. Outcome 0 hits
 * none of the bins that are to be covered.
 * @public
 */
export class Coverpoint<S = never> {
  readonly name: string;
  readonly model: ItemModel;
  readonly expression: (sample: S) => number;
  readonly iff: ((sample: S) => boolean) | null;
  readonly classes: ValueClasses;
  /** Null where there are no transitions: the outcome is the class of the value then. */
  readonly machine: TransitionMachine | null;
  /** By outcome: bins that it hits. */
  readonly hitBy: readonly (readonly number[])[];
  /** By outcome: 1 where one of them is illegal; null if there are no illegal bins. */
  readonly illegal: Uint8Array | null;

  /** @throws RangeError for bins or options that cannot be */
  constructor(
    group: string,
    groupOptions: ResolvedGroupOptions,
    name: string,
    expression: (sample: S) => number,
    given: Bins,
    options: PointOptions<S>,
  ) {
    const where = `${group}.${name}`;
    const all = resolveBins(given, options.autoBinMax ?? groupOptions.autoBinMax, where);
    const item = resolveItemOptions(options, groupOptions, where);
    this.name = name;
    this.expression = expression;
    this.iff = options.iff ?? null;
    this.model = { kind: 'coverpoint', name, ...item, bins: all.map((bin) => modelOf(bin, options.fromBin)) };
    const { classes, machine } = compiled(all, where);
    this.classes = classes;
    this.machine = machine;
    this.hitBy =
      machine === null
        ? classes.members.map((sets) => valueHits(all, sets))
        : machine.classOf.map((c, state) => stateHits(all, classes.members[c] ?? [], machine.completed[state] ?? []));
    const illegal = this.hitBy.map((hits) => hits.some((bin) => all[bin]?.kind === 'illegal'));
    this.illegal = illegal.includes(true) ? Uint8Array.from(illegal, Number) : null;
  }

  get outcomes(): number {
    return this.hitBy.length;
  }
}

function compiled(
  all: readonly ResolvedBin[],
  where: string,
): { readonly classes: ValueClasses; readonly machine: TransitionMachine | null } {
  const steps: SequenceStep[] = [];
  const net = new TransitionNet();
  for (const [bin, resolved] of all.entries()) {
    if (resolved.type !== 'transitions') continue;
    for (const sequence of resolved.sequences) net.add(bin, sequence, (step) => all.length + steps.push(step) - 1);
  }
  const valueSets = all.map((bin) => (bin.type === 'values' ? bin.values : []));
  try {
    const classes = new ValueClasses([...valueSets, ...steps.map(({ values }) => values)]);
    const machine =
      steps.length === 0
        ? null
        : machineOf(
            net,
            classes.members.map((sets) => new Set(sets)),
          );
    return { classes, machine };
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`${where}: ${error.message}`) : error;
  }
}

/** Illegal beats ignore beats bins; what is in no value bin is the default's. */
function valueHits(all: readonly ResolvedBin[], sets: readonly number[]): readonly number[] {
  const values = sets.filter((set) => all[set]?.type === 'values');
  if (values.length > 0) return strongest(all, values);
  const other = all.findIndex(({ type }) => type === 'default');
  return other < 0 ? [] : [other];
}

function stateHits(
  all: readonly ResolvedBin[],
  sets: readonly number[],
  completed: readonly number[],
): readonly number[] {
  return [...valueHits(all, sets), ...strongest(all, completed)].sort((a, b) => a - b);
}

function strongest(all: readonly ResolvedBin[], hits: readonly number[]): readonly number[] {
  for (const kind of ['illegal', 'ignore'] as const) {
    const such = hits.filter((bin) => all[bin]?.kind === kind);
    if (such.length > 0) return such;
  }
  return hits;
}

function modelOf(bin: ResolvedBin, fromBin: (bin: string) => string | undefined = () => undefined): BinModel {
  const { kind } = bin;
  const fill = kind === 'bins' ? fromBin(bin.name) : undefined;
  return { ...definitionOf(bin), ...(fill === undefined ? {} : { arguments: fill }) };
}

function definitionOf(bin: ResolvedBin): BinModel {
  const { name, kind } = bin;
  if (bin.type === 'values') return { name, kind, values: bin.values };
  if (bin.type === 'default') return { name, kind };
  return { name, kind, sequences: bin.sequences.map((steps) => steps.map(stepText).join('=>')) };
}

const SIGNS = { consecutive: '*', goto: '->', nonConsecutive: '=' } as const;

function stepText({ values, repetition: { how, from, to } }: SequenceStep): string {
  const text = values.map(([low, high]) => (low === high ? `${low}` : `[${low}:${high}]`)).join(',');
  if (how === 'consecutive' && to === 1) return text;
  return `${text}[${SIGNS[how]}${from === to ? from : `${from}:${to}`}]`;
}
