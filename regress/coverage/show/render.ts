/** An analysis as text, Markdown or JSON. */

import type { Analysis } from '../analysis.ts';
import type { CoverageRun } from '../database.ts';
import { totalLine } from '../totalLine.ts';
import { type Extent, type Section, sectionsOf } from './sections.ts';
import { markdownTable, textTable } from './table.ts';

export const FORMATS = ['text', 'md', 'json'] as const;
export type Format = (typeof FORMATS)[number];

export function render(analysis: Analysis, format: Format, extent: Extent): string {
  if (format === 'json') return json(analysis);
  const sections = sectionsOf(analysis, extent);
  const parts = sections.map(format === 'md' ? markdownSection : textSection);
  const warnings = analysis.warnings.map((warning) => `warning: ${warning}`);
  return [...parts, ...warnings, totalLine(analysis.tree)].join('\n\n');
}

function textSection({ title, table, notes }: Section): string {
  return [`${title}`, ...(table === undefined ? [] : [textTable(table)]), ...notes].join('\n');
}

function markdownSection({ title, table, notes }: Section): string {
  return [`## ${title}`, ...(table === undefined ? [] : [markdownTable(table)]), ...notes].join('\n\n');
}

/** Runs without their hits, which the store has. */
function json(analysis: Analysis): string {
  return JSON.stringify(
    analysis,
    (key, value: unknown) =>
      key === 'run' || key === 'by' ? runOnly(value) : key === 'redundant' ? (value as unknown[]).map(runOnly) : value,
    2,
  );
}

function runOnly(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  const { hits: _hits, ...run } = value as CoverageRun;
  return run;
}
