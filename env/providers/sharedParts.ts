/** What the providers of the hosts of one environment share, by name. */
export class SharedParts {
  readonly #parts = new Map<string, object>();

  /** The part of this name; the first to ask makes it. */
  get<T extends object>(name: string, make: () => T): T {
    const known = this.#parts.get(name);
    if (known !== undefined) return known as T;
    const made = make();
    this.#parts.set(name, made);
    return made;
  }
}
