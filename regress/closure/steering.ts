/**
 * Draws the runs of one generation of closure after another.
 *
 *   complete generations -> HitIndex (what is open, who came near) -> Weights -> runs of the next generation
 *
 * A third of the runs at most is of kinds that no generation has played yet: what they cover nobody can know. Of the rest, a
 * tenth is as the list says. Of the others every second one is for a hole that was picked: on top of the
 * run that came nearest it gets the arguments that the coverpoint declares (`fromBin`), or one more value by weight where
 * none are declared. The rest gets values by weight. Holes that many runs were for are picked less often.
 *
 * What is drawn depends on the seed and on the coverage of complete generations, and on nothing else: neither on how many
 * processes have played them nor on time.
 */

import type { RandomStream } from '../../uvm/random/randomStream.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { ListedBin } from '../coverage/binList.ts';
import type { CoverageRun } from '../coverage/database.ts';
import { declaredArguments } from '../coverage/holes.ts';
import type { HitIndex } from './hitIndex.ts';
import { plusargName, type RunTemplate, type SteeredRun, withWords } from './steeredParameter.ts';
import { Weights } from './weights.ts';

/** Of a generation, at most. */
const UNPLAYED = 1 / 3;
/** Of 100 runs. */
const PLAIN = 0.1;
const FOR_A_HOLE = 0.5;
/** Numbers of values that a run gets by weight. */
const WORDS: readonly (readonly [weight: number, count: number])[] = [
  [40, 1],
  [30, 2],
  [20, 4],
  [10, 8],
];
/** Of the runs that came nearest to a hole. */
const NEAREST = 6;
/** A run for a hole without declared arguments leaves out each word of the run that it goes on from, now and then. */
const FORGETS = 0.25;

export interface SteeringOptions {
  readonly templates: readonly RunTemplate[];
  /** Whether a run could be begun: arguments may exclude each other. */
  readonly isLegal: (run: SteeredRun) => boolean;
  readonly seed: number;
}

export class Steering {
  readonly #options: SteeringOptions;
  readonly #streams: RandomStreams;
  /** Runs of generations so far, by name. */
  readonly #played = new Map<string, SteeredRun>();
  /** Runs that were for a hole, by its path. */
  readonly #attempts = new Map<string, number>();

  constructor(options: SteeringOptions) {
    this.#options = options;
    this.#streams = new RandomStreams(options.seed, 'closure');
  }

  /** Tells what a run of a generation is called: that is how its coverage is recognised. */
  remember(name: string, run: SteeredRun): void {
    this.#played.set(name, run);
    this.#attempts.set(run.why, (this.#attempts.get(run.why) ?? 0) + 1);
  }

  /** What has been learned of words and templates. */
  weights(index: HitIndex): Weights {
    return new Weights(index.nearness(), (run) => this.#featuresOf(run));
  }

  /** @param index coverage of all complete generations @param number of the generation, from 1: the first is of the list */
  generation(number: number, index: HitIndex, weights: Weights, size: number): readonly SteeredRun[] {
    const templates = this.#templateTable(weights);
    const holes = index.holes.map((hole) => [1 / (1 + (this.#attempts.get(hole.path) ?? 0)) ** 2, hole] as const);
    const draw = new Draw(index, weights, templates, holes, (name) => this.#played.get(name));
    const unplayed = this.#unplayed(number, Math.ceil(size * UNPLAYED));
    return Array.from({ length: size }, (_, place) => {
      const template = unplayed[place];
      if (template !== undefined) return { template, words: [], why: 'unplayed' };
      const stream = this.#streams.stream(`generation ${number}`, 'run', place);
      return this.#legal(draw.run(stream));
    });
  }

  /** Kinds of runs that no complete generation has played, in a drawn order. */
  #unplayed(number: number, most: number): readonly RunTemplate[] {
    const played = new Set([...this.#played.values()].map(({ template }) => template));
    const left = this.#options.templates.filter((template) => !played.has(template));
    this.#streams.stream(`generation ${number}`, 'unplayed').shuffle(left);
    return left.slice(0, most);
  }

  #featuresOf({ name }: CoverageRun): readonly string[] {
    const run = this.#played.get(name);
    return run === undefined ? [] : [featureOf(run.template), ...run.words];
  }

  #templateTable(weights: Weights): Draw['templates'] {
    return this.#options.templates.map((template) => [template.runs * weights.of(featureOf(template)), template]);
  }

  /** Words that exclude each other are given up from the end; what the list says is legal. */
  #legal(run: SteeredRun): SteeredRun {
    let { words } = run;
    while (words.length > 0 && !this.#options.isLegal({ ...run, words })) words = words.slice(0, -1);
    return { ...run, words };
  }
}

function featureOf({ argv }: RunTemplate): string {
  return `run ${argv.join(' ')}`;
}

/** The draws of one generation. */
class Draw {
  readonly #index: HitIndex;
  readonly #weights: Weights;
  readonly templates: readonly (readonly [weight: number, template: RunTemplate])[];
  readonly #holes: readonly (readonly [weight: number, hole: ListedBin])[];
  readonly #played: (name: string) => SteeredRun | undefined;

  constructor(
    index: HitIndex,
    weights: Weights,
    templates: Draw['templates'],
    holes: readonly (readonly [number, ListedBin])[],
    played: (name: string) => SteeredRun | undefined,
  ) {
    this.#index = index;
    this.#weights = weights;
    this.templates = templates;
    this.#holes = holes;
    this.#played = played;
  }

  run(stream: RandomStream): SteeredRun {
    if (stream.chance(PLAIN)) return { template: stream.weighted(this.templates), words: [], why: 'plain' };
    if (this.#holes.length > 0 && stream.chance(FOR_A_HOLE)) return this.#forHole(stream, stream.weighted(this.#holes));
    const template = stream.weighted(this.templates);
    const count = stream.weighted(WORDS);
    let words: readonly string[] = [];
    for (let i = 0; i < count; i++) words = withWords(words, this.#word(stream, template));
    return { template, words, why: 'weights' };
  }

  #forHole(stream: RandomStream, hole: ListedBin): SteeredRun {
    const near = this.#index.nearest(hole, NEAREST);
    const from = near.length === 0 ? undefined : this.#played(stream.pick(near).name);
    const template = from?.template ?? stream.weighted(this.templates);
    const before = from?.words ?? [];
    const declared = declaredArguments(hole)?.split(' ');
    const why = hole.path;
    if (declared !== undefined) return { template, words: withWords(declared, before), why };
    const kept = before.filter(() => !stream.chance(FORGETS));
    return { template, words: withWords(this.#word(stream, template), kept), why };
  }

  /** One value by weight; none where there is nothing to say. */
  #word(stream: RandomStream, { parameters }: RunTemplate): readonly string[] {
    if (parameters.length === 0) return [];
    const words = parameters.map(({ name, values }) => values.map((value) => `+${name}=${value}`));
    const weigh = (word: string): number => this.#weights.of(word);
    const mean = (all: readonly string[]): number => all.reduce((sum, word) => sum + weigh(word), 0) / all.length;
    const values = stream.weighted(words.map((all) => [mean(all), all] as const));
    return [stream.weighted(values.map((word) => [weigh(word), word] as const))];
  }
}

/** What a run may be for besides a hole. */
const NO_HOLES: ReadonlySet<string> = new Set(['plain', 'weights', 'unplayed']);

/** What a run was told, for people. */
export function titleOf({ template, words, why }: SteeredRun): string {
  const told = words.map((word) => word.slice(1)).join(' ');
  return [template.title, told, NO_HOLES.has(why) ? '' : `for ${why}`].filter((text) => text !== '').join(', ');
}

/** Names of plusargs that a template has: what a list says is not to be said again. */
export function saidNames(argv: readonly string[]): ReadonlySet<string> {
  return new Set(argv.filter((word) => word.startsWith('+')).map((word) => plusargName(word).slice(1)));
}
