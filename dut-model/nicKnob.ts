/** What can be said of a knob of a NIC model: `<NAME>` of `+NIC_<NAME>=<number>`. @public */

export interface NicKnob {
  /** In capitals, words joined by underscores; whoever types it may leave both out. */
  readonly name: string;
  /** What it sets, with its unit. */
  readonly description: string;
  readonly default: number;
  /** Values are integers from `lowest` to `highest`. */
  readonly lowest: number;
  readonly highest: number;
  /** Of these, powers of two only. */
  readonly powersOfTwo?: boolean;
  /** Corners that constrained-random runs choose from; without any the knob stays at its default there. */
  readonly corners?: readonly number[];
  /** Values that runs with `+DRAW_CORNERS` choose from, where they are others than the corners. */
  readonly hardest?: readonly number[];
  /** Values that runs whose requests change keys (`+KEY_PCT`) choose from as well. */
  readonly ofKeys?: readonly number[];
}

/** The values that a knob takes, for people: `1 .. 64`, `a power of two, 16 .. 1024`. @public */
export function knobRange({ lowest, highest, powersOfTwo = false }: NicKnob): string {
  return `${powersOfTwo ? 'a power of two, ' : ''}${lowest} .. ${highest}`;
}

/** What to use in place of a value that a knob does not take; undefined for one that it does. @public */
export function knobMistake(knob: NicKnob, value: number): string | undefined {
  const { lowest, highest, powersOfTwo = false } = knob;
  const inRange = Number.isInteger(value) && value >= lowest && value <= highest;
  if (inRange && !(powersOfTwo && (value & (value - 1)) !== 0)) return undefined;
  return `use ${powersOfTwo ? 'a power of two' : 'an integer'} from ${lowest} to ${highest}`;
}

/** The knob that a user means: names are compared without case and underscores. @public */
export function findKnob(knobs: readonly NicKnob[], typed: string): NicKnob | undefined {
  const plain = plainName(typed);
  return knobs.find(({ name }) => plainName(name) === plain);
}

/**
 * Knobs over defaults.
 * @param known in the order of `fields`, the names that the defaults have them by
 * @throws RangeError naming an unknown knob, or a value that is not possible
 * @public
 */
export function resolveKnobs<F extends string>(
  known: readonly NicKnob[],
  fields: readonly F[],
  defaults: Readonly<Record<F, number>>,
  knobs: Readonly<Record<string, number>>,
): Record<F, number> {
  const config: Record<F, number> = { ...defaults };
  for (const [typed, value] of Object.entries(knobs)) {
    const knob = findKnob(known, typed);
    if (knob === undefined) {
      throw new RangeError(`NIC knob ${typed} is unknown; known: ${known.map(({ name }) => name).join(', ')}`);
    }
    const mistake = knobMistake(knob, value);
    if (mistake !== undefined) throw new RangeError(`NIC knob ${typed}=${value}: ${mistake}`);
    config[fields[known.indexOf(knob)] as F] = value;
  }
  return config;
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
