import { SEVERITIES, type Severity, severityName } from './severity.ts';

/** What the summary is made of. */
export interface SummarySource {
  readonly quitCount: number;
  readonly maxQuitCount: number;
  readonly catcherCounts: { readonly demoted: readonly number[]; readonly caught: readonly number[] };
  severityCount(severity: Severity): number;
  idCounts(): ReadonlyMap<string, number>;
  switchedOffCounts(): ReadonlyMap<string, number>;
}

/** Text of the report summary: quit count if limited, catcher counts if any, counts by severity, counts by id. */
export function summaryText(source: SummarySource): string {
  const lines = ['', '--- UVM Report Summary ---', ''];
  if (source.maxQuitCount > 0) {
    const reached = source.quitCount >= source.maxQuitCount ? ['Quit count reached!'] : [];
    lines.push(...reached, `Quit count : ${pad(source.quitCount)} of ${pad(source.maxQuitCount)}`);
  }
  lines.push(...catcherLines(source), '** Report counts by severity');
  for (const severity of SEVERITIES) lines.push(`${severityName(severity)} :${pad(source.severityCount(severity))}`);
  lines.push('** Report counts by id', ...idLines(source.idCounts()));
  if (source.switchedOffCounts().size > 0)
    lines.push('** Errors switched off or lowered by report settings', ...idLines(source.switchedOffCounts()));
  return `${lines.join('\n')}\n`;
}

function idLines(counts: ReadonlyMap<string, number>): string[] {
  const ids = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return ids.map(([id, count]) => `[${id}] ${pad(count)}`);
}

function catcherLines(source: SummarySource): string[] {
  const { demoted, caught } = source.catcherCounts;
  if (![...demoted, ...caught].some((n) => n > 0)) return [];
  const lines = ['** Report catcher counts'];
  for (const severity of [...SEVERITIES].reverse()) {
    const name = severityName(severity);
    lines.push(`Number of demoted ${name} reports :${pad(demoted[severity] as number)}`);
    lines.push(`Number of caught ${name} reports  :${pad(caught[severity] as number)}`);
  }
  return lines;
}

function pad(n: number): string {
  return String(n).padStart(5);
}
