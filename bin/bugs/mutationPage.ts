/** The page docs/mutation.md: which planted bug needs which rule of the judge, and which spec which widening. */

import type { MutatedRule } from './ruleMutation.ts';

export const MUTATION_PAGE = 'docs/mutation.md';

/** The result of one widening. */
export interface MutatedWidening {
  readonly name: string;
  /** The spec, or the row of a race table, that must fail without it; '' = none is named. */
  readonly spec: string;
  /** It did. */
  readonly isNeeded: boolean;
}

const HEAD = `# Mutation of the judge's rules

\`npm run judge-mutation\` makes this page. It switches off each transport rule ([checks.md](checks.md) lists them, \`+JUDGE_WITHOUT\`)
and runs the planted bugs that name its id and break it, until one is no longer found under that id. Then it switches off each
widening and runs the spec that the widening names. This spec must fail.
`;

/** The whole page. */
export function mutationPage(rules: readonly MutatedRule[], widenings: readonly MutatedWidening[]): string {
  const needed = rules.filter(({ needs }) => needs !== undefined).length;
  const failing = widenings.filter(({ isNeeded }) => isNeeded).length;
  return [
    HEAD,
    '## Rules',
    '',
    `${needed} of ${rules.length} are needed by a planted bug, or by a spec if no bug breaks them.`,
    '',
    '| rule | id | bugs that break it | not found, or failing, without it |',
    '|---|---|---:|---|',
    ...rules.map((row) => `| \`${row.name}\` | \`${row.rule.id}\` | ${row.breakers.length} | ${neededBy(row)} |`),
    '',
    '## Widenings',
    '',
    `${failing} of ${widenings.length} are needed by a spec.`,
    '',
    '| widening | spec that fails without it |',
    '|---|---|',
    ...widenings.map((row) => `| \`${row.name}\` | ${specText(row)} |`),
    '',
  ].join('\n');
}

/** Rows that nothing needs and that do not say why, as `name: what`; empty where all is well. */
export function mistakesOf(rules: readonly MutatedRule[], widenings: readonly MutatedWidening[]): readonly string[] {
  const unneeded = rules.filter(({ needs, rule }) => needs === undefined && rule.redundant === undefined);
  const wrong = rules.filter(({ needs, rule }) => needs !== undefined && rule.redundant !== undefined);
  return [
    ...unneeded.map((row) => `${row.name}: ${neededBy(row)}`),
    ...wrong.map((row) => `${row.name}: says that it is redundant, and ${row.needs} is found by it alone`),
    ...widenings.filter(({ isNeeded }) => !isNeeded).map((row) => `${row.name}: ${specText(row)}`),
  ];
}

function neededBy({ needs, breakers, rule }: MutatedRule): string {
  if (needs !== undefined) return `\`${needs}\``;
  const why = rule.redundant === undefined ? '' : `: ${rule.redundant}`;
  return breakers.length === 0 ? `**no bug breaks it**${why}` : `**redundant**${why}`;
}

function specText({ spec, isNeeded }: MutatedWidening): string {
  if (spec === '') return '**none named**';
  return isNeeded ? spec : `**${spec} passes without it**`;
}
