/**
 * The configuration database (1800.2 C.4.2 `uvm_config_db`): values set for paths, found by the component asking.
 *
 * Precedence: while the hierarchy is built, a value set by a component higher up beats one set further down, so that
 * a test overrules its environment; among equals, and after the build phase, the later setting wins.
 */
import type { Event } from '../kernel/event.ts';
import { Glob, isGlob } from './glob.ts';

/** Whose view a setting or a question is given in; null is the root. */
export interface ConfigContext {
  readonly fullName: string;
  readonly parent: ConfigContext | null;
}

/** One setting, for listings and 'never took effect' warnings. */
export interface ConfigEntry {
  readonly scope: string;
  readonly field: string;
  readonly value: unknown;
  readonly precedence: number;
  /** Path of the component that set it; `uvm_root` if none. */
  readonly setter: string;
  /** Text or a number that the command line gives: no answer where code has set an object or a function. */
  readonly typed: boolean;
  /** Times this setting was the answer. */
  reads: number;
}

interface StoredEntry extends ConfigEntry {
  readonly scopeGlob: Glob;
  readonly fieldGlob: Glob;
}

/** Precedence of a setting by the root or after the build phase. */
export const DEFAULT_PRECEDENCE = 1000;

/** @public */
export class ConfigDb {
  /** While true, depth in the hierarchy lowers the precedence of a setting; the root clears it after `build`. */
  building = true;
  /** Receives one line for every set and get; for `+UVM_CONFIG_DB_TRACE`. */
  trace: ((id: 'CFGDB/SET' | 'CFGDB/GET', text: string) => void) | undefined;

  readonly #exact = new Map<string, StoredEntry[]>();
  readonly #wild: StoredEntry[] = [];
  readonly #all: StoredEntry[] = [];
  readonly #asked = new Set<string>();
  readonly #waiters = new Map<string, { readonly path: string; readonly event: Event }[]>();

  /**
   * Sets `field` for the instances `inst` (a path pattern relative to `context`; empty = the context itself).
   * @param context the component that sets, or null: then `inst` is a pattern of full names
   * @param field a name or a pattern
   * @param typed true for a number or text of the command line, which cannot take the place of an object: resources
   *   are found by their type as well (1800.2 C.2)
   */
  set(context: ConfigContext | null, inst: string, field: string, value: unknown, typed = false): void {
    const scope = scopeOf(context, inst);
    const precedence = DEFAULT_PRECEDENCE - (this.building ? depthOf(context) : 0);
    const setter = context?.fullName ?? 'uvm_root';
    const globs = { scopeGlob: new Glob(scope), fieldGlob: new Glob(field) };
    const entry: StoredEntry = { scope, field, value, precedence, setter, reads: 0, typed, ...globs };
    this.#all.push(entry);
    if (isGlob(field)) this.#wild.push(entry);
    else append(this.#exact, field, entry);
    this.trace?.('CFGDB/SET', `Configuration '${scope}.${field}' set by ${setter} = ${valueText(value)}`);
    this.#wake(entry);
  }

  /** The value that applies to `inst` below `context` (empty = the context itself); undefined if none does. */
  get<T>(context: ConfigContext | null, inst: string, field: string): T | undefined {
    const path = scopeOf(context, inst);
    this.#asked.add(field);
    const entry = this.#find(path, field);
    if (entry !== undefined) entry.reads++;
    this.trace?.('CFGDB/GET', `Configuration '${path}.${field}' read = ${entry ? valueText(entry.value) : 'not set'}`);
    return entry?.value as T | undefined;
  }

  /** Whether any setting applies; counts as no read. */
  exists(context: ConfigContext | null, inst: string, field: string): boolean {
    return this.#find(scopeOf(context, inst), field) !== undefined;
  }

  /** Triggers `event` at every later setting of `field` that applies to the path (1800.2 `wait_modified`). */
  notify(context: ConfigContext | null, inst: string, field: string, event: Event): void {
    append(this.#waiters, field, { path: scopeOf(context, inst), event });
  }

  /** The setting that answers for a path and a field; looking counts as no read. Undefined if none does. */
  inForce(path: string, field: string): ConfigEntry | undefined {
    return this.#find(path, field);
  }

  /** All settings in the order made. */
  entries(): readonly ConfigEntry[] {
    return this.#all;
  }

  /** Names of the fields that somebody has asked for. */
  askedFields(): Iterable<string> {
    return this.#asked;
  }

  #find(path: string, field: string): StoredEntry | undefined {
    let best: StoredEntry | undefined;
    let object: StoredEntry | undefined;
    for (const entry of this.#candidates(field)) {
      const better = best === undefined || entry.precedence >= best.precedence;
      const kept = isObject(entry) && (object === undefined || entry.precedence >= object.precedence);
      if (!(better || kept) || !entry.scopeGlob.matches(path) || !entry.fieldGlob.matches(field)) continue;
      if (better) best = entry;
      if (kept) object = entry;
    }
    return best?.typed === true ? (object ?? best) : best;
  }

  /** Candidates for a field in the order made, so that of equals the later one wins. */
  #candidates(field: string): readonly StoredEntry[] {
    return this.#wild.length === 0 ? (this.#exact.get(field) ?? []) : this.#all;
  }

  #wake(entry: StoredEntry): void {
    for (const [field, waiters] of this.#waiters) {
      if (!entry.fieldGlob.matches(field)) continue;
      for (const w of waiters) if (entry.scopeGlob.matches(w.path)) w.event.trigger();
    }
  }
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function scopeOf(context: ConfigContext | null, inst: string): string {
  if (context === null) return inst;
  return inst === '' ? context.fullName : `${context.fullName}.${inst}`;
}

function depthOf(context: ConfigContext | null): number {
  let depth = 0;
  for (let at = context; at !== null; at = at.parent) depth++;
  return depth;
}

function isObject({ value }: ConfigEntry): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Most characters of a value in a trace line. */
const SHOWN = 100;

/** A value in a trace or listing: short, on one line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return `function ${value.name === '' ? '(unnamed)' : value.name}`;
  if (typeof value !== 'object' || value === null) return String(value);
  const type = Object.getPrototypeOf(value)?.constructor?.name ?? 'Object';
  if (type !== 'Object' && !Array.isArray(value)) return `an object of class ${type}`;
  const text = Object.entries(value).map(([name, member]) => `${name}: ${memberText(member)}`);
  const line = text.join(', ');
  if (line.length <= SHOWN) return `{${line}}`;
  // Cut between members: half of one says little.
  const end = line.lastIndexOf(', ', SHOWN);
  return `{${end > 0 ? `${line.slice(0, end)}, ...` : `${line.slice(0, SHOWN)}...`}}`;
}

function memberText(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'function';
  return typeof value === 'object' && value !== null ? '{...}' : String(value);
}
