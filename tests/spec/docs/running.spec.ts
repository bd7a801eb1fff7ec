import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { FlagTable } from '../../../bin/cli/flagTable.ts';
import { REGRESS_FLAGS } from '../../../bin/cli/regressFlags.ts';
import { TEST_FLAGS } from '../../../bin/cli/testFlags.ts';

/** `name` as it is typed. */
function typed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** Flags and aliases of a table. */
function flagsOf(table: FlagTable): string[] {
  return Object.entries(table).flatMap(([name, { alias }]) =>
    [name, ...(alias === undefined ? [] : [alias])].map(typed),
  );
}

/** Flags in the first column of the tables of a section. */
function flagsIn(section: string): string[] {
  const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => cell as string);
  return cells.flatMap((cell) => [...cell.matchAll(/`(--?[a-z-]+)/g)].map(([, flag]) => flag as string));
}

describe('docs/running.md', () => {
  const page = readFileSync(new URL('../../../docs/running.md', import.meta.url), 'utf8');
  const [, oneTest = '', manyTests = ''] = page.split(/^## /m);

  for (const [program, section, table] of [
    ['hca_test', oneTest, TEST_FLAGS],
    ['hca_regress', manyTests, REGRESS_FLAGS],
  ] as const) {
    it(`lists every flag and alias of ${program}, and no other`, () => {
      expect(flagsIn(section)).to.have.members(flagsOf(table));
    });
  }
});
