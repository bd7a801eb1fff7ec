/** The page docs/detection.md: which check finds which planted bug. */

import type { Sighting } from './bugHunt.ts';
import type { BugRow } from './bugMatrix.ts';
import { CHECK_FAMILIES } from './checkFamilies.ts';

/** One bug in both surroundings. */
export interface DetectionRow {
  readonly clean: Sighting;
  readonly permitted: Sighting;
  /** In several seeds, each run to its end. */
  readonly row: Pick<BugRow, 'findings' | 'needs' | 'original'>;
}

const head = (failing: number): string => `# Which check finds which planted bug

\`npm run detection -- --failing ${failing}\` makes this page. It runs every planted bug with the stimulus that \`./hca_regress list faults --only <name>\` shows
(seed 1), once on a clean link, and once with a fault rule that matches no packet. The id is that of the first finding
that the bug's entry names. If the first finding of all has another id, it follows in brackets. [checks.md](checks.md)
explains the ids.

Every bug is then run in up to ${failing} seeds that find it, each to its end, with all findings recorded. The last columns are derived
from these runs: the number of seeds that found the bug, the family of checks without which none would
have, and whether the checks of the original harness alone find it. Those check opcode and number of completions, and compare source and
destination at the end. \`./hca_regress bugs <list>\` shows the same for the runs of a list.

**lost** in the column of permitted faults: the bug is found, but under no id that its entry names; **missed**: the run passes; **not
judged**: something else ended it.
`;

/**
 * @param failing most runs with each bug of which all findings are known
 * @returns the whole page
 */
export function detectionPage(rows: readonly DetectionRow[], failing: number): string {
  const table = rows.map(
    ({ clean, permitted, row: { findings, needs, original } }) =>
      `| \`${clean.bug.name}\` | ${cellOf(clean)} | ${cellOf(permitted)} | ${findings.length} | ${needs.join(', ')} | ${original ? 'found' : 'missed'} |`,
  );
  return [
    head(failing),
    `${summary(rows)}\n`,
    ...families(rows),
    '| planted bug | clean link | faults permitted, none fires | seeds | missed without | original |',
    '|---|---|---|---:|---|---|',
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

/** What would be found without each family of checks. */
function families(rows: readonly DetectionRow[]): readonly string[] {
  const found = rows.filter(({ row }) => row.findings.length > 0);
  const without = (name: string): number => found.filter(({ row }) => !row.needs.includes(name)).length;
  const original = found.filter(({ row }) => row.original).length;
  return [
    '| checks | found of what all find |',
    '|---|---:|',
    ...CHECK_FAMILIES.map(({ name, says }) => `| without ${name}: ${says} | ${without(name)} of ${found.length} |`),
    `| those of the original harness alone | ${original} of ${found.length} |`,
    '',
  ];
}

function cellOf({ named, first, failure }: Sighting): string {
  if (failure !== '') return `**not judged**: \`${failure.replaceAll('|', '\\|')}\``;
  if (named !== '') return first === named ? `\`${named}\`` : `\`${named}\` (\`${first}\`)`;
  return first === '' ? '**missed**' : `**lost**: \`${first}\``;
}
