/**
 * A regression as one page for a browser. It loads nothing, and its content policy allows nothing but the style and the script
 * that it holds; texts of runs come into it through the escaping of its templates alone.
 */

import { createHash } from 'node:crypto';
import mustache from 'mustache';
import { workerChart } from './workerChart.ts';
import { runRows } from './runRows.ts';
import type { PageTemplates } from './templates.ts';
import type { RegressionView } from './regressionView.ts';
import { keyShape, SHAPES } from './timeLineSvg.ts';
import type { MarkKind } from './timeLine.ts';

/** Bytes of the data of the table of runs. */
const MOST_RUN_BYTES = 4 * 2 ** 20;

/** @param made who has made it and when: the last words of the page */
export function regressionPage(view: RegressionView, templates: PageTemplates, made: string): string {
  const { page, failure, style, script } = templates;
  const { owned, failures, ...shown } = view;
  const results = owned.map(({ result }) => result);
  const anchors = new Map(failures.map(({ run, anchor }) => [run, anchor]));
  const rows = runRows(results, ({ id }) => anchors.get(id) ?? '', MOST_RUN_BYTES);
  const workers = workerChart(results);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const kinds = Object.entries(SHAPES) as [MarkKind, (typeof SHAPES)[MarkKind]][];
  return mustache.render(
    page,
    {
      ...shown,
      failures,
      policy,
      style,
      script,
      made,
      data: rows.data,
      runsNote: rows.note,
      key: kinds.map(([kind, { name }]) => ({ shape: keyShape(kind), name })),
      workers: workers === undefined ? undefined : { svg: workers, text: 'What each worker played when.' },
    },
    { failure },
  );
}

/** The same in short, for a merge request. */
export function regressionMarkdown(view: RegressionView, { markdown }: PageTemplates): string {
  const text = mustache.render(markdown, view, {}, { escape: (value) => markdownText(String(value)) });
  return `${text.trim()}\n`;
}

/** What would be more than text in Markdown is escaped; underscores within words are not. */
function markdownText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*<>[\]|~^$&#]|:\/\/|(?<!\w)_|_(?!\w)/g, (found) => [...found].map((c) => `\\${c}`).join(''));
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
