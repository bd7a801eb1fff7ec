/** The numbers that objects of a kind have had, which are given one after the other: the lowest, the highest, all between. */
export class NumberRange {
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  /** An object has this number. */
  take(number: number): void {
    this.#lowest = Math.min(this.#lowest, number);
    this.#highest = Math.max(this.#highest, number);
  }

  /** Whether an object has the number, or may have had it before. */
  has(number: number): boolean {
    return number >= this.#lowest && number <= this.#highest;
  }
}
