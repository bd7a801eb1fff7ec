/**
 * Defaults of a project: what `rnic.config.yaml` and the environment say where a command line says nothing.
 *
 *   rnic.config.yaml, from the working directory upwards  <  RNIC_VERIFY_<NAME>  <  command line
 *
 * A run that is replayed takes none of them for its arguments: its record says them all.
 */

import type { FlagValues } from '../cli/readFlags.ts';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Token } from '../cli/token.ts';
import {
  type Environment,
  NO_DEFAULTS,
  OF_A_LAUNCHER,
  type ProjectDefaults,
  VARIABLE_PREFIX,
} from './projectValues.ts';

const CONFIG_FILE = 'rnic.config.yaml';
/** What a project has decided; quick where it has decided nothing. @param cwd absolute */
export async function projectDefaults(cwd = process.cwd(), env: Environment = process.env): Promise<ProjectDefaults> {
  const file = configFileOf(cwd);
  const isSet = Object.keys(env).some((name) => name.startsWith(VARIABLE_PREFIX));
  if (file === undefined && !isSet) return NO_DEFAULTS;
  // Loaded only here: the validator takes longer to load than a short run takes.
  const { readDefaults } = await import('./readDefaults.ts');
  return readDefaults(file, { cwd, env });
}

/** A setting whose flag says the contrary. */
const CONTRARY: ReadonlyMap<string, string> = new Map([['history', 'no-history']]);
/** Its flag may be repeated, and adds to what is found. */
const REPEATED: ReadonlySet<string> = new Set(['known']);

/** Values of all flags: those that were typed, else what the project has decided. */
export function withDefaults(typed: FlagValues, { values }: ProjectDefaults): FlagValues {
  const flags: Record<string, string | boolean | undefined> = { ...typed };
  const launcher = typed['launcher'];
  const isOther = launcher !== undefined && launcher !== values.get('launcher')?.value;
  for (const [name, { value }] of values) {
    if (REPEATED.has(name) || (isOther && (OF_A_LAUNCHER as readonly string[]).includes(name))) continue;
    const flag = CONTRARY.get(name) ?? name;
    const meant = typeof value === 'boolean' ? value !== CONTRARY.has(name) || undefined : String(value);
    flags[flag] ??= meant;
  }
  return flags;
}

/** Folder in which runs and regressions leave folders of their own. */
export function outFolderOf({ values }: ProjectDefaults): string {
  return String(values.get('out')?.value ?? 'out');
}

/** Files of known issues that the project names. */
export function knownFilesOf({ values }: ProjectDefaults): readonly string[] {
  const named = values.get('known')?.value ?? [];
  return typeof named === 'string' ? [named] : (named as readonly string[]);
}

/** Plusargs of the project that words do not name themselves. */
export function plusargsBeside(words: readonly string[], { plusargs }: ProjectDefaults): readonly Token[] {
  const named = new Set(words.map(plusargName));
  return plusargs.filter(({ text }) => !named.has(plusargName(text)));
}

function plusargName(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** The nearest one, from a folder upwards; undefined where there is none. */
function configFileOf(folder: string): string | undefined {
  const file = join(folder, CONFIG_FILE);
  if (existsSync(file)) return file;
  const above = dirname(folder);
  return above === folder ? undefined : configFileOf(above);
}
