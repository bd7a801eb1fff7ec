/** `--show-config`: every setting with its value, and who has decided it. */

import { readFlags } from '../cli/readFlags.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { REGRESS_FLAGS } from '../cli/regressFlags.ts';
import { TEST_FLAGS } from '../cli/testFlags.ts';
import { commandLineTokens } from '../cli/token.ts';
import { plainTable } from '../history/plainTable.ts';
import { plusargsBeside } from './projectDefaults.ts';
import type { ProjectDefaults } from './projectValues.ts';
import { type Setting, SETTINGS } from './settings.ts';

const TYPED = 'command line';
const UNSET = 'default';
const TABLES: Readonly<Record<Setting['of'][number], FlagTable>> = {
  hca_test: TEST_FLAGS,
  hca_regress: REGRESS_FLAGS,
};

/** @param argv as typed, without mistakes */
export function configTable(
  program: Setting['of'][number],
  argv: readonly string[],
  defaults: ProjectDefaults,
): string {
  const { flags, all, positionals } = readFlags(commandLineTokens(argv), TABLES[program]);
  const rows = Object.entries<Setting>(SETTINGS)
    .filter(([, { of }]) => of.includes(program))
    .map(([name, setting]) => row(name, setting, flags[setting.flag ?? name], all(name), defaults));
  const plusargs = positionals.map(({ text }) => text).filter((text) => text.startsWith('+'));
  const added = [
    ...plusargs.map((text) => [text, '', TYPED]),
    ...plusargsBeside(plusargs, defaults).map(({ text, where }) => [text, '', where]),
  ];
  const cells = [...rows, ...added].map((texts) => texts.map((text) => ({ text, isNumber: false })));
  return plainTable(['setting', 'value', 'from'], cells);
}

function row(
  name: string,
  { flag, unset }: Setting,
  typed: string | boolean | undefined,
  all: readonly string[],
  { values }: ProjectDefaults,
): readonly string[] {
  if (typed !== undefined) return [name, flag === undefined ? all.join(', ') || String(typed) : String(!typed), TYPED];
  const found = values.get(name);
  if (found === undefined) return [name, unset, UNSET];
  return [name, typeof found.value === 'object' ? found.value.join(', ') : String(found.value), found.where];
}
