import type { SimTime } from './scheduler.ts';
import type { Proc, Wait } from './wait.ts';

/**
 * A `Proc` that yields one wait and returns what the wait gave: the same as `function* () { return (yield wait) as T; }`
 * but without a generator, which costs more than everything else about a short wait.
 */
export function singleWait<T>(wait: Wait): Proc<T> {
  return new SingleWait(wait) as unknown as Proc<T>;
}

/**
 * Waits `t` picoseconds. 0 lets everything go first that is scheduled for this instant and region.
 * @throws RangeError when t is negative or not whole
 * @public
 */
export function delay(t: SimTime): Proc<void> {
  if (!(t >= 0) || Math.floor(t) !== t) {
    throw new RangeError(`delay: ${t} ps is not a whole number of picoseconds >= 0`);
  }
  return singleWait<void>(t);
}

/** Iterator and its own result in one object, so that a wait allocates once. */
class SingleWait {
  value: unknown;
  done = false;
  #asked = false;

  constructor(wait: Wait) {
    this.value = wait;
  }

  next(sent: unknown): this {
    if (this.#asked) return this.return(sent);
    this.#asked = true;
    return this;
  }

  return(value: unknown): this {
    this.done = true;
    this.value = value;
    return this;
  }

  throw(error: unknown): never {
    this.done = true;
    throw error;
  }

  [Symbol.iterator](): this {
    return this;
  }
}
