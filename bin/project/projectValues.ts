/** What a project may decide, and how it is kept once it was read. */

import type { Token } from '../cli/token.ts';

/** Before the name of a setting, in capitals: `RNIC_VERIFY_JOBS`. */
export const VARIABLE_PREFIX = 'RNIC_VERIFY_';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting, and where it was found. */
export interface ProjectValue {
  readonly value: string | number | boolean | readonly string[];
  /** `rnic.config.yaml:3:7`, or the name of the variable. */
  readonly where: string;
}

export interface ProjectDefaults {
  /** By name of the setting; paths are as from the working directory. */
  readonly values: ReadonlyMap<string, ProjectValue>;
  /** For runs that do not name them themselves. */
  readonly plusargs: readonly Token[];
  /** What keeps them from being used; each with its place. */
  readonly problems: readonly string[];
}

export const NO_DEFAULTS: ProjectDefaults = { values: new Map(), plusargs: [], problems: [] };

/** Settings that mean something to one launcher alone. */
export const OF_A_LAUNCHER = [
  'chunk',
  'slots',
  'submit-args',
  'submit',
  'status',
  'cancel',
  'queue',
  'lost-after',
] as const;
