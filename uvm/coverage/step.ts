import type { Values } from './intervals.ts';

/** A step of a sequence: one value, or a `step(...)`. */
export type Step = number | StepSet;

/** How often a step happens, and what may come between (IEEE 1800-2017 19.5.2). */
export interface Repetition {
  /** Without others between; with others between; with others between and after. */
  readonly how: 'consecutive' | 'goto' | 'nonConsecutive';
  readonly from: number;
  readonly to: number;
}

const ONCE: Repetition = { how: 'consecutive', from: 1, to: 1 };

/** Any of several values as one step of a transition. */
export class StepSet {
  readonly values: readonly Values[];
  readonly repetition: Repetition;

  constructor(values: readonly Values[], repetition = ONCE) {
    this.values = values;
    this.repetition = repetition;
  }

  /** `[* from:to]`: that many in a row. @param to default: `from` */
  times(from: number, to = from): StepSet {
    return this.#repeated('consecutive', from, to);
  }

  /** `[-> from:to]`: that many, others may come before each; the next step follows the last at once. */
  goTo(from: number, to = from): StepSet {
    return this.#repeated('goto', from, to);
  }

  /** `[= from:to]`: that many, others may come before each and after the last. */
  nonConsecutive(from: number, to = from): StepSet {
    return this.#repeated('nonConsecutive', from, to);
  }

  #repeated(how: Repetition['how'], from: number, to: number): StepSet {
    const whole = Number.isSafeInteger(from) && Number.isSafeInteger(to);
    if (!whole || from < 1 || to < from || to > 256) {
      throw new RangeError(`a step repeats ${from} to ${to} times; both are 1 .. 256, the second not below the first`);
    }
    return new StepSet(this.values, { how, from, to });
  }
}
