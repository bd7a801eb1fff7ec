/** The failures of a regression by their signatures: what their first errors have in common. */

import { isExcused, type JobResult } from '../job.ts';
import { signatureText } from './signatureText.ts';

/** Failures with one signature. */
export interface FailureGroup {
  /** Report id of the first error, such as `SCB_DATA`; the status of runs that have none, such as `usage`. */
  readonly id: string;
  /** Text of the first error without what is different in each run. */
  readonly text: string;
  /** Ids of the errors that followed in these runs, each with the number of runs, the most frequent first. */
  readonly followedBy: readonly FollowingId[];
  /** How many runs have it. */
  readonly count: number;
  /** Run in which the first error came earliest in simulated time; of several the first in the order of the list. */
  readonly smallest: string;
  /** The line that repeats that run; '' when it cannot be repeated. */
  readonly replay: string;
  /** Ids of all runs that have it, in the order of the list. */
  readonly runs: readonly string[];
}

/** An error that follows the first one. */
export interface FollowingId {
  readonly id: string;
  readonly runs: number;
}

/** Following ids that are shown at most. */
const MAX_FOLLOWING = 5;
/** Groups shown at most; the rest is in report.json. */
const MAX_SHOWN = 20;
/** Characters of a text that are shown. */
const SHOWN_LENGTH = 140;

/**
 * Groups of the results that did not pass, or of those that are meant, the largest first; of equal ones the first in the order of the list.
 * @param isMeant default: those that did not pass and are no known issues
 */
export function failureGroups(
  results: readonly JobResult[],
  isMeant: (result: JobResult) => boolean = (result) => !isExcused(result),
): FailureGroup[] {
  const groups = new Map<string, JobResult[]>();
  for (const result of results) {
    if (!isMeant(result)) continue;
    const key = `[${idOf(result)}] ${textOf(result)}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [result]);
    else known.push(result);
  }
  return unitedByErrors([...groups.values()])
    .map(groupOf)
    .sort((a, b) => b.count - a.count);
}

/**
 * Puts groups together of which each has the first error of the other among its errors, the smaller one in all of its runs:
 * one is the cause and the other its consequence, which of them is found first depends on the traffic, and they are one bug.
 * Errors of one id are told apart by their texts.
 */
function unitedByErrors(groups: readonly (readonly JobResult[])[]): (readonly JobResult[])[] {
  const united: { readonly first: readonly JobResult[]; readonly all: JobResult[] }[] = [];
  for (const group of groups.toSorted((a, b) => b.length - a.length)) {
    const cause = united.find(({ first }) => areOneBug(first, group));
    if (cause === undefined) united.push({ first: group, all: [...group] });
    else cause.all.push(...group);
  }
  return united.map(({ all }) => all);
}

function areOneBug(larger: readonly JobResult[], smaller: readonly JobResult[]): boolean {
  const [a, b] = [larger[0] as JobResult, smaller[0] as JobResult];
  const has = idOf(a) === idOf(b) ? hasError : hasErrorId;
  return smaller.every((run) => has(run, a)) && larger.some((run) => has(run, b));
}

/** Whether the first error of another run is among the errors of a run, by its id. */
function hasErrorId({ errorIds }: JobResult, other: JobResult): boolean {
  return errorIds.includes(idOf(other));
}

/** The same by id and text. */
function hasError({ findings }: JobResult, other: JobResult): boolean {
  const [id, text] = [idOf(other), textOf(other)];
  return findings?.errors.some((error) => error.id === id && error.text === text) === true;
}

/** How many runs have each of the errors that are not the first one. */
function followersOf(results: readonly JobResult[]): FollowingId[] {
  const runs = new Map<string, number>();
  for (const result of results)
    for (const id of result.errorIds) if (id !== idOf(result)) runs.set(id, (runs.get(id) ?? 0) + 1);
  return [...runs].map(([id, count]) => ({ id, runs: count })).sort((a, b) => b.runs - a.runs);
}

function followersText(followers: readonly FollowingId[], count: number): string {
  const shown = followers.slice(0, MAX_FOLLOWING).map(({ id, runs }) => (runs === count ? id : `${id} (${runs})`));
  const more = followers.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** What is said of the groups at the end; nothing about a single failure, which has been listed. */
export function failureGroupLines(groups: readonly FailureGroup[]): string[] {
  const failures = groups.reduce((sum, { count }) => sum + count, 0);
  if (failures < 2) return [];
  const width = String(groups[0]?.count).length;
  const lines = groups.slice(0, MAX_SHOWN).flatMap(({ id, text, count, smallest, replay, followedBy }) => {
    const indent = ' '.repeat(width + 3);
    const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
    const head = `  ${String(count).padStart(width)} [${id}] ${shown}`;
    const followers = followedBy.length === 0 ? [] : [`${indent}followed by ${followersText(followedBy, count)}`];
    return [head, ...followers, `${indent}smallest ${smallest}${replay === '' ? '' : `: ${replay}`}`];
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
  const followedBy = followersOf(results);
  return { id: idOf(first), text: textOf(first), followedBy, count: runs.length, smallest: id, replay, runs };
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
