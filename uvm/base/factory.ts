/**
 * The factory (1800.2 clause 8): makes components and objects by type name, so that a test can replace a type
 * everywhere or at some places without touching the code that asks for it.
 *
 * Rules of the standard: an instance override beats a type override; of several matching instance overrides the
 * first one set counts; overrides chain (A by B, B by C makes C); a type override may be replaced unless the setter
 * says otherwise. A loop of overrides is an error that names its members.
 */
import { didYouMean } from '../cmdline/nearest.ts';
import { Glob } from './glob.ts';
import { UvmError } from './uvmError.ts';

/** A class that the factory can make: components take (name, parent), objects take (name). */
export type Constructor<T extends object = object> = new (name: string, parent: never) => T;

/** A parent of a new component: a component, or the run. */
export interface FactoryParent {
  readonly fullName?: string;
}

/** An override, for listings and 'never took effect' warnings. */
export interface Override {
  readonly kind: 'type' | 'inst';
  readonly requested: string;
  readonly substitute: string;
  /** Path pattern of an instance override, `*` for a type override. */
  readonly path: string;
  /** Objects made because of it. */
  uses: number;
}

interface InstOverride extends Override {
  readonly glob: Glob;
}

/** A class that was registered under a name, and where it comes from. */
interface Holder {
  readonly type: Constructor;
  readonly origin: string;
}

export class Factory {
  readonly #holders = new Map<string, readonly Holder[]>();
  readonly #types = new Map<string, Constructor>();
  readonly #names = new Map<object, string>();
  readonly #typeOverrides = new Map<string, Override>();
  readonly #instOverrides: InstOverride[] = [];

  /**
   * Makes a class known under a name. A name that several classes have means none of them: whoever asks for it gets
   * an error that names them; nobody else is disturbed.
   * @param origin where the class comes from, for that error: a file
   */
  register(typeName: string, type: Constructor, origin = ''): void {
    const holders = this.#holders.get(typeName) ?? [];
    if (holders.some((h) => h.type === type)) return;
    this.#holders.set(typeName, [...holders, { type, origin }]);
    if (holders.length > 0) return;
    this.#types.set(typeName, type);
    if (!this.#names.has(type)) this.#names.set(type, typeName);
  }

  /** What is wrong with a name that several classes have; '' for any other. */
  conflict(typeName: string): string {
    const holders = this.#holders.get(typeName) ?? [];
    if (holders.length < 2) return '';
    const classes = holders.map(({ type, origin }) => `${type.name}${origin === '' ? '' : ` of ${origin}`}`);
    return `the type name '${typeName}' is shared by the classes ${classes.join(' and ')}; give each its own typeName`;
  }

  has(typeName: string): boolean {
    return this.#types.has(typeName);
  }

  /** All registered names in the order of registration. */
  typeNames(): string[] {
    return [...this.#types.keys()];
  }

  /** Overrides in force, instance overrides first. */
  overrides(): readonly Override[] {
    return [...this.#instOverrides, ...this.#typeOverrides.values()];
  }

  /** A copy with the same types and overrides: what a run works on, so that its overrides end with it. */
  clone(): Factory {
    const copy = new Factory();
    for (const [name, holders] of this.#holders) for (const h of holders) copy.register(name, h.type, h.origin);
    for (const o of this.#instOverrides) copy.setInstOverride(o.requested, o.substitute, o.path);
    for (const o of this.#typeOverrides.values()) copy.setTypeOverride(o.requested, o.substitute);
    return copy;
  }

  /**
   * Makes a component under `parent`.
   * @throws UvmError `BDTYP` for a type that is not registered, `TPREGD` for a name that several classes have,
   *   `OVRDLOOP` for overrides in a circle.
   */
  create<T extends object>(type: string | Constructor<T>, name: string, parent: FactoryParent): T {
    const above = parent.fullName;
    const Made = this.#resolve(type, above === undefined || above === '' ? name : `${above}.${name}`);
    return new Made(name, parent as never) as T;
  }

  /** Makes an object (sequence, item); `context` gives the path that instance overrides look at. */
  createObject<T extends object>(type: string | Constructor<T>, name: string, context?: FactoryParent): T {
    const above = context?.fullName ?? '';
    const Made = this.#resolve(type, above === '' ? name : `${above}.${name}`);
    return new (Made as new (name: string) => object)(name) as T;
  }

  /**
   * Makes `substitute` wherever `requested` is asked for.
   * @param replace false keeps an override that already exists
   * @returns false when an earlier override was kept
   * @throws UvmError `BDTYP` when the substitute is not registered, `TYPDUP` when both are the same.
   */
  setTypeOverride(requested: string | Constructor, substitute: string | Constructor, replace = true): boolean {
    const from = this.#nameOf(requested);
    const to = this.#known(substitute);
    if (from === to) throw identical(from);
    if (!replace && this.#typeOverrides.has(from)) return false;
    this.#typeOverrides.set(from, { kind: 'type', requested: from, substitute: to, path: '*', uses: 0 });
    return true;
  }

  /** Makes `substitute` where `requested` is asked for at a full path that matches the pattern. */
  setInstOverride(requested: string | Constructor, substitute: string | Constructor, path: string): void {
    const from = this.#nameOf(requested);
    const to = this.#known(substitute);
    if (from === to) throw identical(from);
    const glob = new Glob(path);
    this.#instOverrides.push({ kind: 'inst', requested: from, substitute: to, path, uses: 0, glob });
  }

  /** Name of the type that would be made for `requested` at `path`; counts as no use. */
  resolveName(requested: string | Constructor, path = ''): string {
    return this.#follow(this.#nameOf(requested), path).name;
  }

  #resolve(type: string | Constructor, path: string): Constructor {
    const unregistered = typeof type === 'string' ? undefined : type;
    if (unregistered !== undefined && !this.#names.has(unregistered)) return unregistered;
    const { name, used } = this.#follow(this.#nameOf(type), path);
    if (typeof type !== 'string' && used.length === 0) return type;
    for (const override of used) override.uses++;
    return this.#types.get(this.#known(name)) as Constructor;
  }

  #follow(requested: string, path: string): { name: string; used: Override[] } {
    const used: Override[] = [];
    let name = requested;
    for (;;) {
      const override = this.#overrideOf(name, path);
      if (override === undefined) return { name, used };
      if (used.includes(override)) throw loop(requested, used);
      used.push(override);
      name = override.substitute;
    }
  }

  #overrideOf(name: string, path: string): Override | undefined {
    const inst = this.#instOverrides.find((o) => o.requested === name && o.glob.matches(path));
    return inst ?? this.#typeOverrides.get(name);
  }

  #nameOf(type: string | Constructor): string {
    if (typeof type === 'string') return type;
    return this.#names.get(type) ?? type.name;
  }

  #known(type: string | Constructor): string {
    const name = this.#nameOf(type);
    const conflict = this.conflict(name);
    if (conflict !== '') throw new UvmError('TPREGD', conflict);
    if (this.#types.has(name)) return name;
    const hint = didYouMean(name, this.#types.keys());
    throw new UvmError('BDTYP', `the type '${name}' is not registered with the factory${hint}; register it first`);
  }
}

function identical(name: string): UvmError {
  return new UvmError('TYPDUP', `original and override type arguments are identical: '${name}'`);
}

function loop(requested: string, used: readonly Override[]): UvmError {
  const chain = [...used.map((o) => o.requested), used[used.length - 1]?.substitute].join(' -> ');
  return new UvmError('OVRDLOOP', `the overrides of '${requested}' form a loop: ${chain}; remove one of them`);
}
