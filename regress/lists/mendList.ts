/**
 * Takes the mistakes of form out of a list, so that all the rest can be checked in the same round.
 *
 * A misspelt key is taken for the one that is meant. Of what is left out it is known whether the runs of an entry are
 * still those that its author wants: a time limit decides no run, a plusarg does.
 */

import type { z } from 'zod';
import { didYouMean, nearest } from '../../uvm/cmdline/nearest.ts';
import { listMessage } from './listMessage.ts';
import { entrySchema, type ListFile, listSchema } from './listSchema.ts';

type Path = readonly (string | number)[];
/** An entry by its number, or what all entries share. */
type Part = number | 'defaults';

/** A mistake of form, said to people. */
export interface FormMistake {
  readonly path: Path;
  /** Set when it is the key at the path that is wrong, not what stands there. */
  readonly key?: string;
  readonly message: string;
}

export interface MendedList {
  /** With empty entries, and names of files, in place of those that are none: numbers stay what they were. */
  readonly data: ListFile;
  readonly mistakes: readonly FormMistake[];
  /** Parts of which something is missing that decides what is run. */
  readonly incomplete: ReadonlySet<Part>;
  /** Entries that are none. */
  readonly dropped: ReadonlySet<number>;
  /** Entries that had no name, or none that could be used. */
  readonly unnamed: ReadonlySet<number>;
  /** Keys as typed, by path and name of what they were taken for: `tests/0/plusargs`. */
  readonly typed: ReadonlyMap<string, string>;
}

/** @param data of a list, whatever it is */
export function mendList(data: unknown): MendedList {
  const mender = new Mender(copyOf(data));
  for (;;) {
    const parsed = listSchema.safeParse(mender.data);
    if (parsed.success) return { ...mender.found, data: parsed.data };
    for (const issue of parsed.error.issues) mender.explain(issue);
    for (const issue of parsed.error.issues) mender.takeOut(issue);
  }
}

/** Keys without which the same is run, as often or for as long as it may be. */
const DECIDES_NO_RUN: ReadonlySet<PropertyKey> = new Set(['name', 'description', 'seeds', 'reseed', 'timeout']);
/** Keys whose values are taken out one by one. */
const BY_NAME: ReadonlySet<PropertyKey> = new Set(['plusargs', 'sweep']);

type Mapping = Record<PropertyKey, unknown>;

const PROTO = '__proto__';

class Mender {
  data: unknown;
  readonly found = {
    mistakes: [] as FormMistake[],
    incomplete: new Set<Part>(),
    dropped: new Set<number>(),
    unnamed: new Set<number>(),
    typed: new Map<string, string>(),
  };

  constructor(data: unknown) {
    this.data = data ?? {};
    this.#takeOutProto(this.data, []);
  }

  /** A name that the validator passes over in silence. */
  #takeOutProto(value: unknown, path: Path): void {
    if (value === null || typeof value !== 'object') return;
    if (Object.hasOwn(value, PROTO)) {
      this.found.mistakes.push({ path, key: PROTO, message: `unknown key "${PROTO}"; leave it out` });
      this.#takeOutKey(path, PROTO);
    }
    for (const [key, inner] of Object.entries(value))
      this.#takeOutProto(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  }

  explain(issue: z.core.$ZodIssue): void {
    const path = issue.path as Path;
    const { mistakes } = this.found;
    if (issue.code !== 'unrecognized_keys') {
      mistakes.push({ path, message: listMessage(issue, this.data) });
      return;
    }
    const known = keysAt(path);
    for (const key of issue.keys) {
      const hint = didYouMean(key, known) || `; allowed: ${known.join(', ')}`;
      mistakes.push({ path, key, message: `unknown key "${key}"${hint}` });
    }
  }

  takeOut(issue: z.core.$ZodIssue): void {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) this.#takeOutKey(path, key);
    else if (path.length === 0) this.data = {};
    else if (path[0] === 'tests' && typeof path[1] === 'number') this.#takeOutOfEntry(path[1], path);
    else if ((path[0] === 'include' || path[0] === 'behaviours') && typeof path[1] === 'number')
      this.#at([path[0]])[path[1]] = '';
    else {
      if (path[0] === 'defaults') this.#mark('defaults', path[1]);
      this.#remove(path, 1);
    }
  }

  /** A misspelt key has the value that belongs to another, unless that one is there as well. */
  #takeOutKey(path: Path, key: string): void {
    const parent = this.#at(path);
    const [near] = nearest(key, keysAt(path));
    const value = parent[key];
    delete parent[key];
    if (near !== undefined && !Object.hasOwn(parent, near)) {
      parent[near] = value;
      this.found.typed.set([...path, near].join('/'), key);
    } else if (path[0] === 'defaults') this.#mark('defaults', near);
    else if (typeof path[1] === 'number') this.#mark(path[1], near);
  }

  #takeOutOfEntry(index: number, path: Path): void {
    const entries = this.#at(['tests']);
    const standIn = `entry-${index + 1}`;
    const key = path[2];
    if (key === undefined) {
      entries[index] = { name: standIn };
      this.found.dropped.add(index);
    } else if (key === 'name') {
      (entries[index] as Mapping)['name'] = standIn;
      this.found.unnamed.add(index);
    } else {
      this.#mark(index, key);
      this.#remove(path, 2);
    }
  }

  #mark(part: Part, key: PropertyKey | undefined): void {
    if (key === undefined || !DECIDES_NO_RUN.has(key)) this.found.incomplete.add(part);
  }

  /** Removes the key at a depth of the path, or one name in it. */
  #remove(path: Path, depth: number): void {
    const key = path[depth];
    const name = path[depth + 1];
    const isName = key !== undefined && BY_NAME.has(key) && name !== undefined;
    const whole = isName ? path.slice(0, depth + 2) : path.slice(0, Math.min(path.length, depth + 1));
    delete this.#at(whole.slice(0, -1))[whole.at(-1) as string];
  }

  #at(path: Path): Mapping {
    let value = this.data as Mapping;
    for (const key of path) value = value[key] as Mapping;
    return value;
  }
}

function keysAt(path: Path): string[] {
  if (path.length === 0) return Object.keys(listSchema.shape);
  if (path[0] === 'defaults') return Object.keys(listSchema.shape.defaults.unwrap().shape);
  return Object.keys(entrySchema.shape);
}

/** Parts that a list shares (`*alias`) are copied for each of their places. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}
