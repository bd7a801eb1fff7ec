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

/** A value and the moments between which it may have held. */
interface Span<T> {
  readonly value: T;
  readonly since: number;
  until: number;
}

/** A value that its owner alone changes. */
export type Seen<T> = Omit<Windowed<T>, 'set' | 'begin' | 'end'>;

export class Windowed<T> {
  #now: T;
  /**
   * Every value that may have held, oldest first, once there is more than one. The last is `next`; those that may hold now come
   * last. Replaced by a longer one rather than pushed to: an array that has grown keeps room for sixteen more, for good.
   */
  #spans: readonly Span<T>[] | null = null;
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
    const spans = this.#spans;
    return this.#open && spans !== null ? (spans[spans.length - 1] as Span<T>).value : this.#now;
  }

  /** Whether a command is under way that changes it. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Whether no other value has ever held, or may hold. */
  get isSettled(): boolean {
    return this.#spans === null;
  }

  /** Life begins anew: no other value has ever held. */
  set(value: T): void {
    this.#now = value;
    this.#spans = null;
    this.#open = false;
  }

  /**
   * Software begins a command that puts `next` in its place; a value that holds, or is on its way, already opens nothing.
   * Where an earlier command is still under way, its value may hold as well until this one is done.
   */
  begin(next: T, at: number): void {
    if (next === this.next) return;
    this.#spans = [...this.#known(), span(next, at)];
    this.#open = true;
  }

  /**
   * The NIC has done what was begun, or has refused to.
   * @param value what holds now: by default what the command has put in its place. With another one, above all that of
   *   before, the command has come to nothing; of a command of which no begin was told the value may be new.
   */
  end(at: number, value: T = this.next): void {
    if (!this.#open && value === this.#now) return;
    let spans = this.#known();
    if (this.#open && value !== this.next) spans = spans.slice(0, -1);
    if ((spans[spans.length - 1] as Span<T>).value !== value) spans = [...spans, span(value, at)];
    for (let i = spans.length - 2; i >= 0 && spans[i]?.until === Number.POSITIVE_INFINITY; i--)
      (spans[i] as Span<T>).until = at;
    this.#spans = spans.length === 1 ? null : spans;
    this.#now = value;
    this.#open = false;
  }

  #known(): readonly Span<T>[] {
    return this.#spans ?? [span(this.#now, Number.NEGATIVE_INFINITY)];
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
    const spans = this.#spans;
    if (spans === null) return test(this.#now);
    for (let i = spans.length - 1; i >= 0; i--) {
      const { value, since, until } = spans[i] as Span<T>;
      // What came before has ended no later.
      if (until < from) return false;
      if (since <= to && test(value)) return true;
    }
    return false;
  }

  /** Whether `value` may have held at some moment from `from` on. */
  mayBe(value: T, from: number): boolean {
    if (value === this.#now) return true;
    const spans = this.#spans;
    if (spans === null) return false;
    for (let i = spans.length - 1; i >= 0; i--) {
      const found = spans[i] as Span<T>;
      if (found.until < from) return false;
      if (found.value === value) return true;
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

function span<T>(value: T, since: number): Span<T> {
  return { value, since, until: Number.POSITIVE_INFINITY };
}
