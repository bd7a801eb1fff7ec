import { SEVERITIES, type Severity } from './severity.ts';

/**
 * A setting of a reporter that may be given for everything, per severity, per id, or per severity and id.
 * The most specific one counts (1800.2 6.3): severity and id, then id, then severity, then the default.
 */
export class ReportTable<T> {
  readonly #bySeverity = new Map<Severity, T>();
  readonly #byId = new Map<string, T>();
  readonly #byBoth = new Map<string, T>();
  /** Keys of settings by id, and by severity and id, that were asked for. */
  readonly #used = new Set<string>();
  /** Counts when nothing more specific is set. */
  fallback: T;

  constructor(fallback: T) {
    this.fallback = fallback;
  }

  /** Sets for one severity, one id, both, or, with both undefined, the default. */
  set(severity: Severity | undefined, id: string | undefined, value: T): void {
    if (severity !== undefined && id !== undefined) this.#byBoth.set(`${severity} ${id}`, value);
    else if (id !== undefined) this.#byId.set(id, value);
    else if (severity !== undefined) this.#bySeverity.set(severity, value);
    else this.fallback = value;
  }

  get(severity: Severity, id: string): T {
    if (this.#byBoth.size > 0) {
      const key = `${severity} ${id}`;
      const both = this.#byBoth.get(key);
      if (both !== undefined) return this.#use(key, both);
    }
    const one = this.#byId.get(id);
    if (one !== undefined) return this.#use(id, one);
    return this.#bySeverity.get(severity) ?? this.fallback;
  }

  /** Whether what is set for this id, or for a severity and this id, was ever asked for. */
  idUsed(id: string, severity?: Severity): boolean {
    return this.#used.has(severity === undefined ? id : `${severity} ${id}`);
  }

  /** Every value that some message may get. */
  values(): T[] {
    return [this.fallback, ...this.#bySeverity.values(), ...this.#byId.values(), ...this.#byBoth.values()];
  }

  /** What is set beyond the default, as `id`, `severity` or `severity id` with the value; for reports. */
  entries(nameOf: (severity: Severity) => string): [string, T][] {
    const severities = SEVERITIES.filter((s) => this.#bySeverity.has(s));
    return [
      ...severities.map((s): [string, T] => [nameOf(s), this.#bySeverity.get(s) as T]),
      ...this.#byId,
      ...[...this.#byBoth].map(([key, v]): [string, T] => [`${nameOf(Number(key[0]) as Severity)}${key.slice(1)}`, v]),
    ];
  }

  #use(key: string, value: T): T {
    this.#used.add(key);
    return value;
  }
}
