/** The failures of a regression by their signatures: what their first errors have in common. */

import { isPass, type JobResult } from '../job.ts';
import { signatureText } from './signatureText.ts';

/** Failures with one signature. */
export interface FailureGroup {
  /** Report id of the first error, such as `SCB_DATA`; the status of runs that have none, such as `usage`. */
  readonly id: string;
  /** Text of the first error without what is different in each run. */
  readonly text: string;
  /** How many runs have it. */
  readonly count: number;
  /** Run in which the first error came earliest in simulated time; of several the first in the order of the list. */
  readonly smallest: string;
  /** The line that repeats that run; '' when it cannot be repeated. */
  readonly replay: string;
  /** Ids of all runs that have it, in the order of the list. */
  readonly runs: readonly string[];
}

/** Groups shown at most; the rest is in report.json. */
const MAX_SHOWN = 20;
/** Characters of a text that are shown. */
const SHOWN_LENGTH = 140;

/** Groups of the results that did not pass, the largest first; of equal ones the first in the order of the list. */
export function failureGroups(results: readonly JobResult[]): FailureGroup[] {
  const groups = new Map<string, JobResult[]>();
  for (const result of results) {
    if (isPass(result)) continue;
    const key = `[${idOf(result)}] ${textOf(result)}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [result]);
    else known.push(result);
  }
  return [...groups.values()].map(groupOf).sort((a, b) => b.count - a.count);
}

/** What is said of the groups at the end; nothing about a single failure, which has been listed. */
export function failureGroupLines(groups: readonly FailureGroup[]): string[] {
  const failures = groups.reduce((sum, { count }) => sum + count, 0);
  if (failures < 2) return [];
  const width = String(groups[0]?.count).length;
  const lines = groups.slice(0, MAX_SHOWN).flatMap(({ id, text, count, smallest, replay }) => {
    const indent = ' '.repeat(width + 3);
    const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
    const head = `  ${String(count).padStart(width)} [${id}] ${shown}`;
    return [head, `${indent}smallest ${smallest}${replay === '' ? '' : `: ${replay}`}`];
  });
  const rest = groups.length - MAX_SHOWN;
  const title = `${failures} failures, ${groups.length} signature${groups.length === 1 ? '' : 's'}:`;
  return [title, ...lines, ...(rest > 0 ? [`  ... and ${rest} more, in report.json`] : [])];
}

function groupOf(results: readonly JobResult[]): FailureGroup {
  const [first, ...others] = results as readonly [JobResult, ...JobResult[]];
  const smallest = others.reduce((least, result) => (timeOf(result) < timeOf(least) ? result : least), first);
  const runs = results.map(({ id }) => id);
  const { id, replay } = smallest;
  return { id: idOf(first), text: textOf(first), count: runs.length, smallest: id, replay, runs };
}

function idOf({ signature, status }: JobResult): string {
  return signature?.id ?? status;
}

function textOf({ signature, message }: JobResult): string {
  return signatureText(signature?.message ?? message);
}

function timeOf({ signature }: JobResult): number {
  return signature?.time ?? 0;
}
