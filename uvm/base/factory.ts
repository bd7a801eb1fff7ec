/**
 * The factory (1800.2 clause 8): makes components and objects by type name, so that a test can replace a type
 * everywhere or at some places without touching the code that asks for it.
 *
 * Rules of the standard: an instance override beats a type override; of several matching instance overrides the
 * first one set counts; overrides chain (A by B, B by C makes C); a type override may be replaced unless the setter
 * says otherwise. A loop of overrides is an error that names its members. Classes stand for themselves, registered or
 * not; names must be registered before somebody asks for them.
 */
import { didYouMean } from '../cmdline/nearest.ts';
import { Glob } from './glob.ts';
import { UvmError } from './uvmError.ts';

/** A class that the factory can make: components take (name, parent, ...more), objects take (name). @public */
export type Constructor<T extends object = object, A extends readonly unknown[] = readonly never[]> = new (
  name: string,
  parent: never,
  ...more: A
) => T;

/** A parent of a new component: a component, or the run. */
export interface FactoryParent {
  readonly fullName?: string;
}

/** An override, for listings and 'never took effect' warnings. @public */
export interface Override {
  readonly kind: 'type' | 'inst';
  readonly requested: string;
  readonly substitute: string;
  /** Path pattern of an instance override, `*` for a type override. */
  readonly path: string;
  /** Objects made because of it. */
  uses: number;
}

interface StoredOverride extends Override {
  /** The class that is replaced; its name as long as no class of that name is registered. */
  readonly from: Identity;
  readonly to: Constructor;
}

interface InstOverride extends StoredOverride {
  readonly glob: Glob;
}

/** What overrides go by: a class, whether registered or not, or a name that belongs to no class. */
type Identity = Constructor | string;

/** A class that was registered under a name, and where it comes from. */
interface Holder {
  readonly type: Constructor;
  readonly origin: string;
}

/** @public */
export class Factory {
  readonly #holders = new Map<string, readonly Holder[]>();
  readonly #types = new Map<string, Constructor>();
  readonly #names = new Map<object, string>();
  readonly #typeOverrides = new Map<Identity, StoredOverride>();
  readonly #instOverrides: InstOverride[] = [];

  /**
   * Makes a class known under a name. A name that several classes have means none of them: whoever asks for it gets
   * an error that names them; nobody else is disturbed.
   * @param origin where the class comes from, for that error: a file
   */
  register(typeName: string, type: Constructor, origin = ''): void {
    if (this.holds(typeName, type)) return;
    const holders = this.#holders.get(typeName) ?? [];
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

  /** Whether a class was registered under a name, which others may share. */
  holds(typeName: string, type: Constructor): boolean {
    return (this.#holders.get(typeName) ?? []).some((holder) => holder.type === type);
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
    for (const o of this.#instOverrides) copy.#instOverrides.push({ ...o, uses: 0 });
    for (const [from, o] of this.#typeOverrides) copy.#typeOverrides.set(from, { ...o, uses: 0 });
    return copy;
  }

  /**
   * Makes a component under `parent`.
   * @param more what the constructor takes after name and parent; an override is given the same
   * @throws UvmError `BDTYP` for a name that is not registered, `TPREGD` for a name that several classes have,
   *   `OVRDLOOP` for overrides in a circle, `FCTTYP` when overrides lead to something else than what was asked for.
   */
  create<T extends object, A extends readonly unknown[] = readonly []>(
    type: string | Constructor<T, A>,
    name: string,
    parent: FactoryParent,
    ...more: A
  ): T {
    const above = parent.fullName;
    const path = above === undefined || above === '' ? name : `${above}.${name}`;
    const Made = this.#resolve(type as Identity, path);
    return new Made(name, parent as never, ...(more as unknown as never[])) as T;
  }

  /** Makes an object (sequence, item); `context` gives the path that instance overrides look at. Throws as `create`. */
  createObject<T extends object>(type: string | Constructor<T>, name: string, context?: FactoryParent): T {
    const above = context?.fullName ?? '';
    const Made = this.#resolve(type, above === '' ? name : `${above}.${name}`);
    return new (Made as new (name: string) => object)(name) as T;
  }

  /**
   * Makes `substitute` wherever `requested` is asked for. Classes need not be registered.
   * @param replace false keeps an override that already exists
   * @returns false when an earlier override was kept
   * @throws UvmError `BDTYP` when the substitute is a name that is not registered, `TYPDUP` when both are the same.
   */
  setTypeOverride(requested: string | Constructor, substitute: string | Constructor, replace = true): boolean {
    const override = this.#override('type', requested, substitute, '*');
    if (!replace && this.#typeOverrides.has(override.from)) return false;
    this.#typeOverrides.set(override.from, override);
    return true;
  }

  /** Makes `substitute` where `requested` is asked for at a full path that matches the pattern. */
  setInstOverride(requested: string | Constructor, substitute: string | Constructor, path: string): void {
    const override = this.#override('inst', requested, substitute, path);
    this.#instOverrides.push({ ...override, glob: new Glob(path) });
  }

  /** Name of the type that would be made for `requested` at `path`; counts as no use. */
  resolveName(requested: string | Constructor, path = ''): string {
    return this.#nameOf(this.#follow(requested, path).type);
  }

  #override(kind: 'type' | 'inst', requested: Identity, substitute: Identity, path: string): StoredOverride {
    const [from, to] = [this.#identity(requested), this.#known(substitute)];
    if (from === to) throw identical(this.#nameOf(from));
    const names = { requested: this.#nameOf(requested), substitute: this.#nameOf(substitute) };
    return { kind, ...names, path, uses: 0, from, to };
  }

  #resolve(asked: Identity, path: string): Constructor {
    const { type, used } = this.#follow(asked, path);
    const made = this.#known(type);
    if (used.length === 0) return made;
    this.#requireFit(asked, made, path);
    for (const override of used) override.uses++;
    return made;
  }

  /** An override by something of another kind would fail far from here, and its text would not name the override. */
  #requireFit(asked: Identity, made: Constructor, path: string): void {
    const requested = this.#identity(asked);
    if (typeof requested === 'string') return;
    const sameKind = isComponent(made) === isComponent(requested);
    // Whoever names a class counts on what the class can do; a name promises no more than a component or an object.
    if (sameKind && (typeof asked === 'string' || made.prototype instanceof requested)) return;
    const [from, to] = [this.#nameOf(asked), this.#nameOf(made)];
    const why = sameKind ? 'does not extend it' : `is ${isComponent(made) ? 'a component' : 'no component'}`;
    throw new UvmError(
      'FCTTYP',
      `'${from}' at '${path}' is overridden by '${to}', which ${why}; override it by a class that extends '${from}'`,
    );
  }

  #follow(requested: Identity, path: string): { type: Identity; used: StoredOverride[] } {
    const used: StoredOverride[] = [];
    let type = this.#identity(requested);
    for (;;) {
      const override = this.#overrideOf(type, path);
      if (override === undefined) return { type, used };
      if (used.includes(override)) throw loop(this.#nameOf(requested), used);
      used.push(override);
      type = override.to;
    }
  }

  #overrideOf(type: Identity, path: string): StoredOverride | undefined {
    // A name that was overridden before its class was known is found by the name of the class.
    const name = this.#nameOf(type);
    const meant = (o: StoredOverride): boolean => o.from === type || o.from === name;
    const inst = this.#instOverrides.find((o) => meant(o) && o.glob.matches(path));
    return inst ?? this.#typeOverrides.get(type) ?? this.#typeOverrides.get(name);
  }

  /** The class, where there is one and only one; else the name. */
  #identity(type: Identity): Identity {
    if (typeof type !== 'string' || this.conflict(type) !== '') return type;
    return this.#types.get(type) ?? type;
  }

  #nameOf(type: Identity): string {
    if (typeof type === 'string') return type;
    return this.#names.get(type) ?? type.name;
  }

  #known(type: Identity): Constructor {
    if (typeof type !== 'string') return type;
    const conflict = this.conflict(type);
    if (conflict !== '') throw new UvmError('TPREGD', conflict);
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const hint = didYouMean(type, this.#types.keys());
    throw new UvmError('BDTYP', `the type '${type}' is not registered with the factory${hint}; register it first`);
  }
}

/** Told by a hook that all components have: the factory itself knows no base class. */
function isComponent(type: Constructor): boolean {
  return 'buildPhase' in (type.prototype as object);
}

function identical(name: string): UvmError {
  return new UvmError('TYPDUP', `original and override type arguments are identical: '${name}'`);
}

function loop(requested: string, used: readonly Override[]): UvmError {
  const chain = [...used.map((o) => o.requested), used[used.length - 1]?.substitute].join(' -> ');
  return new UvmError('OVRDLOOP', `the overrides of '${requested}' form a loop: ${chain}; remove one of them`);
}
