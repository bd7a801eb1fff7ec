/** The page docs/detection.md: which check finds which planted bug. */

import type { Sighting } from './bugHunt.ts';

/** One bug in both surroundings. */
export interface DetectionRow {
  readonly clean: Sighting;
  readonly permitted: Sighting;
}

const HEAD = `# Which check finds which planted bug

Made by \`npm run detection\`, which plays every bug of \`./hca_test --list-faults\` with the stimulus that is shown there
(seed 1), once on a clean link, and once more with a fault rule that no packet matches. An id is that of the first finding
which the bug's entry names; after it, in brackets, the first finding of all where that is another one. The ids are
explained in [checks.md](checks.md).

**lost** in the last column: the bug is found, but under no id that its entry names; **missed**: the run passes; **not
judged**: something else ended it.
`;

/** @returns the whole page */
export function detectionPage(rows: readonly DetectionRow[]): string {
  const table = rows.map(
    ({ clean, permitted }) => `| \`${clean.bug.name}\` | ${cellOf(clean)} | ${cellOf(permitted)} |`,
  );
  return [
    HEAD,
    `${summary(rows)}\n`,
    '| planted bug | clean link | faults permitted, none fires |',
    '|---|---|---|',
    ...table,
    '',
  ].join('\n');
}

/**
 * Bugs that are not found as their entries say, as `name: what`; empty on a clean link where all is well. An entry without
 * ids says that no check sees the bug yet.
 */
export function mistakesOf(rows: readonly DetectionRow[]): readonly string[] {
  return rows
    .filter(({ clean: { bug, named } }) => named === '' && bug.caughtBy?.length !== 0)
    .map(({ clean }) => `${clean.bug.name}: ${cellOf(clean)}`);
}

function summary(rows: readonly DetectionRow[]): string {
  const line = (name: string, of: (row: DetectionRow) => Sighting): string => {
    const all = rows.map(of);
    const found = all.filter(({ named }) => named !== '').length;
    const lost = all.filter(({ named, first }) => named === '' && first !== '').length;
    const unjudged = all.filter(({ failure }) => failure !== '').length;
    return `| ${name} | ${all.length} | ${found} | ${lost} | ${all.length - found - lost - unjudged} | ${unjudged} |`;
  };
  return [
    '| surroundings | bugs | found as named | lost | missed | not judged |',
    '|---|---:|---:|---:|---:|---:|',
    line('clean link', (row) => row.clean),
    line('faults permitted, none fires', (row) => row.permitted),
  ].join('\n');
}

function cellOf({ named, first, failure }: Sighting): string {
  if (failure !== '') return `**not judged**: \`${failure.replaceAll('|', '\\|')}\``;
  if (named !== '') return first === named ? `\`${named}\`` : `\`${named}\` (\`${first}\`)`;
  return first === '' ? '**missed**' : `**lost**: \`${first}\``;
}
