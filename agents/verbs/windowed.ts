/**
 * A value that software changes by commands, and who may still meet the old one.
 *
 * While a command is under way a NIC may work by the value of before or by the new one, and only the NIC knows when it
 * changes over. Once the command is done it works by the new one; but what it has made before may be seen later: an
 * answer that has waited, a packet on its way. So the question is never "what is the value" but "which values may have
 * held at some moment from here to there", where the interval is what is known of the thing that met it: when its request
 * was sent and when it was seen, or the moment at which it came to the NIC and the reaction time of that
 * (`Profile.reactionTime`).
 *
 * Moments are numbers that never go back: simulated time in ps, or places in the order of posting where messages are what
 * meets it. Both ends of an interval belong to it. `agents/wire` and the scoreboard share the class, which is why it
 * stands with the events that it is fed by; neither shares its values with the other.
 */

/**
 * The values that may have held, oldest first, and the moments between which each may have: since, until. There is one for
 * each queue pair: lists of just the right size, as one that has grown by `push` keeps room for sixteen more, for good.
 */
interface History<T> {
  readonly values: readonly T[];
  readonly moments: readonly number[];
}

const ALWAYS: readonly number[] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** A value that its owner alone changes. */
export type Seen<T> = Omit<Windowed<T>, 'set' | 'begin' | 'end'>;

export class Windowed<T> {
  #now: T;
  /** Once there is more than one value; the last is `next`, and those that may hold now come last. */
  #history: History<T> | null = null;
  #open = false;

  constructor(value: T) {
    this.#now = value;
  }

  /** The value that holds; of a command under way the one before it. */
  get now(): T {
    return this.#now;
  }

  /** The value that the command under way puts in its place; without one as `now`. */
  get next(): T {
    return this.#open && this.#history !== null ? lastOf(this.#history.values) : this.#now;
  }

  /** Whether a command is under way that changes it. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Whether no other value has ever held, or may hold. */
  get isSettled(): boolean {
    return this.#history === null;
  }

  /** Life begins anew: no other value has ever held. */
  set(value: T): void {
    this.#now = value;
    this.#history = null;
    this.#open = false;
  }

  /**
   * Software begins a command that puts `next` in its place; a value that holds, or is on its way, already opens nothing.
   * Where an earlier command is still under way, its value may hold as well until this one is done.
   */
  begin(next: T, at: number): void {
    if (next === this.next) return;
    this.#history = withValue(this.#known(), next, at);
    this.#open = true;
  }

  /**
   * The NIC has done what was begun, or has refused to.
   * @param value what holds now: by default what the command has put in its place. With another one, above all that of
   *   before, the command has come to nothing; of a command of which no begin was told the value may be new.
   */
  end(at: number, value: T = this.next): void {
    if (!this.#open && value === this.#now) return;
    let known = this.#known();
    if (this.#open && value !== this.next) known = withoutLast(known);
    if (lastOf(known.values) !== value) known = withValue(known, value, at);
    this.#history = known.values.length === 1 ? null : withoutOlder(known, at);
    this.#now = value;
    this.#open = false;
  }

  #known(): History<T> {
    return this.#history ?? { values: [this.#now], moments: ALWAYS };
  }

  /** The values that may have held at some moment from `from` to `to`, oldest first, each once; by default those that may hold now. */
  every(from = Number.POSITIVE_INFINITY, to = Number.POSITIVE_INFINITY): T[] {
    const found: T[] = [];
    this.some(
      from,
      (value) => {
        if (!found.includes(value)) found.unshift(value);
        return false;
      },
      to,
    );
    return found;
  }

  /** Whether `test` holds for a value that may have held at some moment from `from` to `to`; the newest is asked first. */
  some(from: number, test: (value: T) => boolean, to = Number.POSITIVE_INFINITY): boolean {
    if (this.#history === null) return test(this.#now);
    const { values, moments } = this.#history;
    for (let i = values.length - 1; i >= 0; i--) {
      // What came before has ended no later.
      if ((moments[2 * i + 1] as number) < from) return false;
      if ((moments[2 * i] as number) <= to && test(values[i] as T)) return true;
    }
    return false;
  }

  /** Whether `value` may have held at some moment from `from` on. */
  mayBe(value: T, from: number): boolean {
    if (value === this.#now) return true;
    if (this.#history === null) return false;
    const { values, moments } = this.#history;
    for (let i = values.length - 1; i >= 0; i--) {
      if ((moments[2 * i + 1] as number) < from) return false;
      if (values[i] === value) return true;
    }
    return false;
  }
}

/** The least and the greatest of the numbers that may have held from `from` on; by default of those that may hold now. */
export function leastOf(value: Seen<number>, from = Number.POSITIVE_INFINITY): number {
  return isSure(value, from) ? value.now : Math.min(...value.every(from));
}

export function mostOf(value: Seen<number>, from = Number.POSITIVE_INFINITY): number {
  return isSure(value, from) ? value.now : Math.max(...value.every(from));
}

function isSure(value: Seen<number>, from: number): boolean {
  return from === Number.POSITIVE_INFINITY && !value.isOpen;
}

function lastOf<T>(values: readonly T[]): T {
  return values[values.length - 1] as T;
}

function withValue<T>({ values, moments }: History<T>, value: T, at: number): History<T> {
  return { values: values.concat([value]), moments: moments.concat([at, Number.POSITIVE_INFINITY]) };
}

function withoutLast<T>({ values, moments }: History<T>): History<T> {
  return { values: values.slice(0, -1), moments: moments.slice(0, -2) };
}

/** All but the last value no longer hold from `at` on. */
function withoutOlder<T>({ values, moments }: History<T>, at: number): History<T> {
  const ended = moments.slice();
  for (let i = ended.length - 3; i > 0 && ended[i] === Number.POSITIVE_INFINITY; i -= 2) ended[i] = at;
  return { values, moments: ended };
}
