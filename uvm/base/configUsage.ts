/** What became of settings of the configuration database: listings for `printConfig` and `checkConfigUsage`. */

import { didYouMean } from '../cmdline/nearest.ts';
import { type ConfigDb, type ConfigEntry, valueText } from './configDb.ts';
import { Glob, isGlob } from './glob.ts';

/**
 * Settings that nobody has read, with the reason.
 * @param paths the components that are asked about: settings that they made, or that apply to them
 * @param all full names of all components; for reasons and suggestions
 * @param whole true = all settings, also those of the root and those that apply to nobody
 */
export function unreadSettings(
  db: ConfigDb,
  paths: readonly string[],
  all: readonly string[],
  whole: boolean,
): readonly string[] {
  const known = new Set(paths);
  const mine = (e: ConfigEntry): boolean => whole || known.has(e.setter) || matching(e, paths).length > 0;
  return db
    .entries()
    .filter((e) => e.reads === 0 && mine(e))
    .map((e) => `${settingText(e)}: ${whyUnread(e, db, all)}`);
}

/**
 * Settings that apply to a component, in the order made.
 * @param audit with how often each was read, by whomever
 */
export function visibleSettings(db: ConfigDb, path: string, audit: boolean): readonly string[] {
  return db
    .entries()
    .filter((e) => matching(e, [path]).length > 0)
    .map((e) => {
      const beaten = !isGlob(e.field) && db.inForce(path, e.field) !== e ? '; another setting comes first' : '';
      return `${settingText(e)}${beaten}${audit ? `; ${readsText(e.reads)}` : ''}`;
    });
}

function settingText({ scope, field, value, setter }: ConfigEntry): string {
  return `'${scope}.${field}' = ${valueText(value)}, set by ${setter}`;
}

function readsText(reads: number): string {
  if (reads === 0) return 'never read';
  return reads === 1 ? 'read once' : `read ${reads} times`;
}

function whyUnread(entry: ConfigEntry, db: ConfigDb, all: readonly string[]): string {
  const asked = [...db.askedFields()];
  const field = new Glob(entry.field);
  if (!asked.some((name) => field.matches(name)))
    return `nobody asked for the field '${entry.field}'${didYouMean(entry.field, asked)}`;
  const reached = matching(entry, all);
  if (reached.length === 0) return `no component matches '${entry.scope}'${didYouMean(entry.scope, all)}`;
  if (!isGlob(entry.field) && reached.every((path) => db.inForce(path, entry.field) !== entry))
    return 'another setting came first';
  return `nobody asked for it where it applies (${reached.length === 1 ? reached[0] : `${reached.length} components`})`;
}

function matching({ scope }: ConfigEntry, paths: readonly string[]): readonly string[] {
  const glob = new Glob(scope);
  return paths.filter((path) => glob.matches(path));
}
