/** The values that a word may hold: a few, or any. */

/** More of them are no knowledge any more. */
const MOST = 64;

export class PossibleValues {
  /** Any value. */
  static readonly any = new PossibleValues(null);

  readonly #values: ReadonlySet<bigint> | null;

  private constructor(values: ReadonlySet<bigint> | null) {
    this.#values = values;
  }

  /** Exactly these. @throws Error when there are none: a word holds something */
  static of(...values: readonly bigint[]): PossibleValues {
    if (values.length === 0)
      throw new Error('PossibleValues.of: a word has at least one possible value; none was given');
    const set = new Set(values);
    return set.size > MOST ? PossibleValues.any : new PossibleValues(set);
  }

  /** Whether it may be any value. */
  get isAny(): boolean {
    return this.#values === null;
  }

  /** The only one; undefined where there are more. */
  get only(): bigint | undefined {
    const set = this.#values;
    return set === null || set.size !== 1 ? undefined : ([...set][0] as bigint);
  }

  /** All of them, undefined for any; smallest first. */
  get list(): readonly bigint[] | undefined {
    if (this.#values === null) return undefined;
    return [...this.#values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  has(value: bigint): boolean {
    return this.#values === null || this.#values.has(value);
  }

  /** These and those of another: of a word that somebody may have written. */
  or(other: PossibleValues): PossibleValues {
    const [own, more] = [this.#values, other.#values];
    return own === null || more === null ? PossibleValues.any : PossibleValues.of(...own, ...more);
  }

  /** What is left once somebody has seen `value` there; undefined when that is impossible. */
  shown(value: bigint): PossibleValues | undefined {
    return this.has(value) ? PossibleValues.of(value) : undefined;
  }
}
