/** Runs of a regression that was played before: its failures once more, or what it has left when it was cut off. */

import { rmSync } from 'node:fs';
import { isPass, type Job, type JobResult } from '../../regress/job.ts';
import { ListPlaces } from '../../regress/lists/listPlaces.ts';
import { JournalError, type ReadJournal, readJournal } from '../../regress/readJournal.ts';
import type { RegressCommand } from '../cli/commands/regressCommand.ts';
import { folderOf } from '../player.ts';
import type { Registries } from '../registries.ts';
import { jobProblems } from '../run/playCommand.ts';
import { JobMistakes } from './jobs/jobMistakes.ts';
import { type JobSource, NO_JOBS } from './jobs/askedJobs.ts';
import { openAll } from './jobs/ownFolders.ts';
import { linkProblems, ownFolderNotes, storedProblems } from './storedRuns.ts';
import { unknownPlusargs } from './jobs/unknownPlusargs.ts';
import { choiceProblems, prepare, vainExclusions } from './jobs/preparedJobs.ts';

/** Workers of a regression whose process is gone end by themselves within this time (ms). */
const ORPHANS_MS = 1000;

/** The journal of the regression that a command names; a string is the reason why it cannot be had. */
export function journalOf(folder: string, flag: '--failed' | '--resume'): ReadJournal | string {
  try {
    return readJournal(folder);
  } catch (error) {
    if (error instanceof JournalError) return `${flag} ${folder}: ${error.message}`;
    throw error;
  }
}

/** The runs that did not pass, with what the command line gives to all runs. */
export async function failedJobs(
  { plan, results }: ReadJournal,
  command: RegressCommand,
  registries: Registries,
): Promise<JobSource> {
  const folder = command.failed as string;
  const isFailed = ({ id }: Job): boolean => {
    const result = results.get(id);
    return result !== undefined && !isPass(result);
  };
  const failed = plan.jobs.filter(isFailed);
  const stored = storedProblems(`--failed ${folder}`, failed, command.stored?.testFolders ?? []);
  if (stored.length > 0) return { ...NO_JOBS, problems: stored };
  if (failed.length === 0) return { ...NO_JOBS, problems: [noneFailed(folder, plan.jobs.length - results.size)] };
  const jobs = prepare(failed, command);
  const unread = await openAll(jobs, registries, command);
  const mistakes = new JobMistakes(registries, command.plusargs, new ListPlaces());
  mistakes.look(jobs, jobProblems);
  const of = `the failures of ${folder}`;
  const vain = vainExclusions(failed, command, of);
  const problems = [...choiceProblems(failed, jobs.length, command, of), ...(command.strict ? vain : [])];
  // A line of a script that was a mistake is one again, and is reported as before.
  const added = command.plusargs;
  const unknown = unknownPlusargs(jobs, registries, added, new ListPlaces()).problems;
  const wrong = added.length > 0 ? [...mistakes.lines, ...unknown] : [];
  const notes = [...unread, ...ownFolderNotes(`--failed ${folder}`, failed), ...(command.strict ? [] : vain)];
  return { ...NO_JOBS, jobs, notes, testFolders: registries.compiled, problems: [...problems, ...wrong] };
}

function noneFailed(folder: string, notRun: number): string {
  const rest = notRun === 0 ? 'all have passed' : `${notRun} have no result; --resume ${folder} goes on with these`;
  return `--failed ${folder}: no run has failed there, ${rest}`;
}

/** Runs that a regression that goes on has left. */
export function leftJobs({ plan, results }: ReadJournal): readonly Job[] {
  return plan.jobs.filter(({ id }) => !isComplete(results.get(id)));
}

/** What is there of a regression that goes on: runs that could not write down all that they had to are played again. */
export function completeResults({ results }: ReadJournal): readonly JobResult[] {
  return [...results.values()].filter(isComplete);
}

function isComplete(result: JobResult | undefined): boolean {
  return result !== undefined && (result.lost ?? []).length === 0;
}

/** What keeps a regression from going on. */
export function resumeProblems(journal: ReadJournal, folder: string, { stored }: RegressCommand): string[] {
  const flag = `--resume ${folder}`;
  return [...linkProblems(flag, folder), ...storedProblems(flag, leftJobs(journal), stored?.testFolders ?? [])];
}

/** All runs of a regression that goes on, those with results included. */
export async function resumedJobs(journal: ReadJournal, folder: string, registries: Registries): Promise<JobSource> {
  const left = leftJobs(journal);
  const unread = await openAll(left, registries, { dryRun: false, plusargs: [], stored: undefined });
  const notes = [...unread, ...ownFolderNotes(`--resume ${folder}`, left)];
  return { ...NO_JOBS, jobs: journal.plan.jobs, notes, testFolders: registries.compiled };
}

/**
 * Waits until workers of before are gone, and takes away what runs without a result have left.
 * @param out folder of the regression
 */
export async function clearUnfinished(journal: ReadJournal, out: string): Promise<void> {
  if (!journal.ended) await new Promise((resolve) => void setTimeout(resolve, ORPHANS_MS));
  for (const job of leftJobs(journal)) rmSync(folderOf(job, out), { recursive: true, force: true });
}
