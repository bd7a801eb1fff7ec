/**
 * The plusargs of a command line: `+NAME`, `+NAME=value`.
 *
 * The first occurrence of a single-valued argument wins; a warning lists all of them where they differ. Every look-up is
 * remembered, so that at the end of a run the arguments that nobody asked for can be named, with the nearest name
 * that somebody did ask for.
 */
import { didYouMean } from './nearest.ts';

/** An argument that took no effect, and why as far as the command line alone can tell. */
export interface UnusedArgument {
  readonly arg: string;
  readonly reason: string;
}

interface Parsed {
  readonly arg: string;
  readonly name: string;
  /** Undefined without `=`. */
  readonly value: string | undefined;
  used: boolean;
  /** Why it is not used although it was looked up. */
  vain: string | undefined;
}

/** @public */
export class Plusargs {
  /** All arguments as given, also those that are no plusargs. */
  readonly args: readonly string[];
  readonly #parsed: readonly Parsed[];
  readonly #known = new Set<string>();
  readonly #warnings: string[] = [];
  readonly #warned = new Set<string>();

  /** @param args the words of the command line; words that do not begin with `+` are kept for listings only */
  constructor(args: readonly string[] = []) {
    this.args = [...args];
    this.#parsed = args.filter((a) => a.startsWith('+')).map(parse);
  }

  /** Whether `+NAME` or `+NAME=...` was given, under any of the spellings. */
  has(name: string, ...aliases: string[]): boolean {
    const found = this.#find([name, ...aliases]);
    for (const p of found) p.used = true;
    return found.length > 0;
  }

  /** Value of the first `+NAME=value` under any of the spellings; several that differ leave a warning. Undefined if none. */
  value(name: string, ...aliases: string[]): string | undefined {
    const found = this.#find([name, ...aliases]).filter((p) => p.value !== undefined);
    for (const p of found) p.used = true;
    if (found.some((p) => p.value !== found[0]?.value)) this.#warnRepeated(name, found);
    return found[0]?.value;
  }

  /** Values of all `+NAME=value` in order, for arguments that may be repeated. */
  values(name: string, ...aliases: string[]): string[] {
    const found = this.#find([name, ...aliases]).filter((p) => p.value !== undefined);
    for (const p of found) p.used = true;
    return found.map((p) => p.value as string);
  }

  /** Makes names known for suggestions without looking them up. */
  declare(names: Iterable<string>): void {
    for (const name of names) this.#known.add(name);
  }

  /** Warnings about repeated arguments since the last call. */
  takeWarnings(): string[] {
    return this.#warnings.splice(0);
  }

  /** Says that a plusarg has been looked up and yet has no effect, and why. */
  disclaim(name: string, reason: string): void {
    for (const p of this.#find([name])) p.vain = reason;
  }

  /** Plusargs that nobody has asked for or that were disclaimed, each with the reason and the nearest known names. */
  unused(): UnusedArgument[] {
    return this.#parsed
      .filter((p) => !p.used || p.vain !== undefined)
      .map((p) => ({ arg: p.arg, reason: this.#reason(p) }));
  }

  /** Plusargs whose names nobody has looked up or declared, each with the nearest names that somebody has. */
  unknown(): UnusedArgument[] {
    return this.#parsed.filter((p) => !this.#known.has(p.name)).map((p) => ({ arg: p.arg, reason: this.#reason(p) }));
  }

  #find(names: readonly string[]): Parsed[] {
    for (const name of names) this.#known.add(name);
    return this.#parsed.filter((p) => names.includes(p.name));
  }

  #warnRepeated(name: string, found: readonly Parsed[]): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    const values = found.map((p) => p.value);
    this.#warnings.push(
      `Multiple (${found.length}) +${name} arguments provided on the command line. '${values[0]}' will be used. ` +
        `Provided list: ${values.join(', ')}.`,
    );
  }

  #reason(p: Parsed): string {
    if (p.vain !== undefined) return p.vain;
    if (this.#known.has(p.name)) return p.value === undefined ? `it needs a value: +${p.name}=<value>` : 'not used';
    return `no such argument is known${didYouMean(p.name, this.#known)}`;
  }
}

function parse(arg: string): Parsed {
  const equals = arg.indexOf('=');
  const name = equals < 0 ? arg.slice(1) : arg.slice(1, equals);
  return { arg, name, value: equals < 0 ? undefined : arg.slice(equals + 1), used: false, vain: undefined };
}
