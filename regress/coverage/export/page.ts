/**
 * Coverage as one page for a browser: tree, crosses as grids, holes with commands, ranking. It loads nothing, and its
 * content policy allows nothing but the style and the script that it holds.
 */

import { createHash } from 'node:crypto';
import { percentOf } from '../../../uvm/coverage/score.ts';
import type { Analysis } from '../analysis.ts';
import type { BinNode, GroupNode, ItemNode } from '../coverageTree.ts';
import { sectionsOf } from '../show/sections.ts';
import type { TableData } from '../show/table.ts';
import { percentText, totalLine } from '../totalLine.ts';
import type { CoverageRun } from '../database.ts';
import { gridsOf } from './crossGrids.ts';
import { xmlText } from '../../report/junit.ts';

export interface PageOptions {
  readonly title: string;
  readonly written: Date;
  /** Rows of lists. */
  readonly top: number;
  /** A run for each bin that is hit, by its path; default: hits lead nowhere. */
  readonly runs?: ReadonlyMap<string, CoverageRun>;
}

/** Runs that hits lead to, with the numbers that they have on the page. */
class RunLinks {
  readonly #byPath: ReadonlyMap<string, CoverageRun>;
  readonly #numbers: ReadonlyMap<CoverageRun, number>;

  constructor(byPath: ReadonlyMap<string, CoverageRun>) {
    this.#byPath = byPath;
    this.#numbers = new Map([...new Set(byPath.values())].map((run, i) => [run, i]));
  }

  /** How often a bin is hit, as a link to the cheapest run that does. */
  hitsHtml({ path, hits }: BinNode): string {
    const run = this.#byPath.get(path);
    return run === undefined ? String(hits) : `<a href="#run${this.#numbers.get(run)}">${hits}</a>`;
  }

  /** The list that links lead to. */
  listHtml(): string {
    if (this.#numbers.size === 0) return '';
    const rows = [...this.#numbers].map(
      ([{ name, replay, events }, number]) =>
        `<tr id="run${number}"><td>${xmlText(name)}</td><td class="n">${events}</td><td><code>${xmlText(replay)}</code></td></tr>`,
    );
    return `<h2>Cheapest runs</h2><table class="list"><thead><tr><th>run</th><th>events</th><th>line</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  }
}

export function coveragePage(analysis: Analysis, { title, written, top, runs = new Map() }: PageOptions): string {
  const links = new RunLinks(runs);
  const { tree, warnings } = analysis;
  const [, ...lists] = sectionsOf(analysis, { depth: 'groups', top });
  const policy = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${xmlText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${xmlText(title)}</h1><p>${xmlText(totalLine(tree))}; ${written.toISOString().slice(0, 16).replace('T', ' ')} UTC</p>
<label>Show groups with <input id="filter" type="search" placeholder="request, open, …" autocomplete="off"></label>
<label><input id="open" type="checkbox"> only what is not covered</label></header>
${warnings.map((warning) => `<p class="warning">${xmlText(warning)}</p>`).join('\n')}
<main>
<h2>Groups</h2>
${[...tree.groups, ...tree.instances].map((group) => groupHtml(group, links)).join('\n')}
${lists.map(({ title: head, table, notes }) => `<h2>${xmlText(head)}</h2>${table === undefined ? '' : tableHtml(table)}${notes.map((note) => `<p>${xmlText(note)}</p>`).join('')}`).join('\n')}
${links.listHtml()}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function groupHtml(group: GroupNode, links: RunLinks): string {
  const { name, comment, coverage, items } = group;
  const full = coverage.covered === coverage.bins;
  return `<details class="group${full ? ' full' : ''}" data-name="${xmlText(name)}"><summary>${headHtml(name, group)}<span class="comment">${xmlText(comment)}</span></summary>
${items.map((item) => itemHtml(item, items, links)).join('\n')}
</details>`;
}

function itemHtml(item: ItemNode, items: readonly ItemNode[], links: RunLinks): string {
  const { kind, of, coverage } = item;
  const full = coverage.covered === coverage.bins;
  const body = kind === 'cross' && of.length >= 2 ? gridHtml(item, items, links) : binsHtml(item.bins, links);
  return `<details class="item${full ? ' full' : ''}"><summary>${headHtml(item.name, item)}<span class="comment">${xmlText(item.comment)}</span></summary>${body}</details>`;
}

function headHtml(name: string, { coverage }: Pick<GroupNode, 'coverage'>): string {
  const { bins, covered, percent } = coverage;
  const share = percentOf(covered, bins);
  return `<b>${xmlText(name)}</b> <meter min="0" max="100" low="50" high="90" optimum="100" value="${share.toFixed(1)}"></meter> <span>${covered} of ${bins}, ${percentText(share)}, weighted ${percentText(percent)}</span> `;
}

function binsHtml(bins: readonly BinNode[], links: RunLinks): string {
  const rows = bins.map(
    (bin) =>
      `<tr class="${stateOf(bin)}"><td>${xmlText(bin.name)}</td><td class="n">${links.hitsHtml(bin)}</td><td>${xmlText(bin.excluded ?? (bin.kind === 'bins' ? '' : bin.kind))}</td></tr>`,
  );
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

function gridHtml(item: ItemNode, items: readonly ItemNode[], links: RunLinks): string {
  const { grids, others } = gridsOf(item, items);
  const tables = grids.map(({ title, rows, columns, cells }) => {
    const head = `<tr><th>${xmlText(title)}</th>${columns.map((name) => `<th>${xmlText(name)}</th>`).join('')}</tr>`;
    const lines = rows.map((row, r) => {
      const line = cells[r] ?? [];
      return `<tr><th>${xmlText(row)}</th>${line.map((bin) => (bin === undefined ? '<td class="none"></td>' : `<td class="n ${stateOf(bin)}" title="${xmlText(bin.path)}">${links.hitsHtml(bin)}</td>`)).join('')}</tr>`;
    });
    return `<table class="grid"><tbody>${head}${lines.join('')}</tbody></table>`;
  });
  return `${tables.join('')}${others.length === 0 ? '' : binsHtml(others, links)}`;
}

function stateOf({ kind, covered, excluded }: BinNode): string {
  if (kind !== 'bins') return kind;
  if (excluded !== undefined) return 'excluded';
  return covered ? 'hit' : 'hole';
}

function tableHtml({ columns, rows }: TableData): string {
  const cell = (text: string, i: number): string =>
    `<td${columns[i]?.align === 'right' ? ' class="n"' : ''}>${xmlText(text)}</td>`;
  const head = columns.map(({ title }) => `<th>${xmlText(title)}</th>`).join('');
  return `<table class="list"><thead><tr>${head}</tr></thead><tbody>${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')}</tbody></table>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --hit: #2a84; --hole: #d338; --other: #8883; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 0 16px 48px; }
header { position: sticky; top: 0; background: Canvas; border-bottom: 1px solid var(--line); padding: 8px 0; z-index: 1; }
a { color: inherit; } tr:target { outline: 2px solid Highlight; scroll-margin-top: 140px; }
details.group[open] > summary { position: sticky; top: 88px; background: Canvas; z-index: 1; }
table.grid tr:first-child th, table.list thead th { position: sticky; top: 116px; background: Canvas; }
table.grid th:first-child { position: sticky; left: 0; background: Canvas; }
h1 { font-size: 20px; margin: 8px 0 0; } h2 { font-size: 17px; margin: 28px 0 8px; } p { margin: 4px 0 8px; }
label { margin-right: 16px; } details { margin: 2px 0; } details.item { margin-left: 20px; }
summary { cursor: pointer; padding: 2px 0; } .comment { opacity: .7; } meter { width: 90px; vertical-align: middle; }
table { border-collapse: collapse; margin: 6px 0 10px 20px; } td, th { border: 1px solid var(--line); padding: 2px 8px; text-align: left; }
table.list { margin-left: 0; } table.list td { overflow-wrap: anywhere; } .n { text-align: right; font-variant-numeric: tabular-nums; }
.hit { background: var(--hit); } .hole { background: var(--hole); } .excluded, .ignore, .default, .none { background: var(--other); }
.illegal { outline: 2px solid #d33; } .warning { border-left: 4px solid #d33; padding-left: 8px; } .hidden { display: none; }
`;

const SCRIPT = `
const filter = document.getElementById('filter');
const open = document.getElementById('open');
const show = () => {
  const text = filter.value.trim().toLowerCase();
  for (const group of document.querySelectorAll('details.group')) {
    const wanted = group.textContent.toLowerCase().includes(text);
    group.classList.toggle('hidden', !wanted || (open.checked && group.classList.contains('full')));
  }
  for (const item of document.querySelectorAll('details.item')) {
    item.classList.toggle('hidden', open.checked && item.classList.contains('full'));
  }
};
filter.addEventListener('input', show);
open.addEventListener('change', show);
`;
