/**
 * Lets a shell run a script for `--shell`, with recorders in place of `hca_test` and `bsub`, and makes runs of what they
 * have noted. Everything else in the script is really executed: the user has asked for it.
 *
 *   path -> startShell (interpreter of the first line, or $SHELL) -> recorders -> calls -> ScriptJobs
 *
 * Bounded: a script that calls nothing for a while, or far too much, is ended with all its processes.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStoredText } from '../../files/inputFile.ts';
import type { Job } from '../job.ts';
import { ScriptJobs } from '../script/scriptJobs.ts';
import { ScriptError } from '../script/scriptWords.ts';
import { parseCalls, RECORDER_VARIABLE, type RecordedCall, writeRecorders } from './recorders.ts';
import { type ShellEnd, runShell } from './runShell.ts';

/** The runs that a script has called. */
export interface RecordedScript {
  /** In the order of the calls. */
  readonly jobs: readonly Job[];
  /** What the shell has said. */
  readonly notes: readonly string[];
  /** Why runs are missing, or may be. */
  readonly problems: readonly string[];
}

/** The surroundings of the shell. */
export interface RecordOptions {
  /** Folder in which the script is started. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest time without a call, in seconds; default 60. */
  readonly silentSeconds?: number;
  /** Bytes of records; default 16 MiB, which are about fifty thousand calls. */
  readonly mostBytes?: number;
}

const SILENT_SECONDS = 60;
const MOST_BYTES = 16 * 1024 * 1024;
/** A shell that has not found a program to be recorded. */
const MISSED = /\b(hca_test|hca_regress|bsub)\b.*(not found|no such file|permission denied|cannot)/i;
const MISSED_ADVICE = 'call it without a folder, or put a link to it there';

/** @param path as the user names it */
export async function recordScript(path: string, options: RecordOptions): Promise<RecordedScript> {
  const { cwd, env, silentSeconds = SILENT_SECONDS, mostBytes = MOST_BYTES } = options;
  const nothing = { jobs: [], notes: [] };
  if (env[RECORDER_VARIABLE] !== undefined)
    return { ...nothing, problems: [`${path}: --shell: this command is itself called by a script that --shell runs`] };
  if (!statSync(path).isFile())
    return { ...nothing, problems: [`${path}: --shell needs a file; a shell cannot read this a second time`] };
  const folder = mkdtempSync(join(tmpdir(), 'hca_regress-'));
  try {
    const { programs, calls } = writeRecorders(folder);
    const recording = { ...env, PATH: `${programs}:${env['PATH'] ?? ''}`, [RECORDER_VARIABLE]: `${programs}/hca_test` };
    const end = await runShell(path, { cwd, env: recording, calls, silentSeconds, mostBytes });
    return { ...read(path, calls, env['COCOTB_RANDOM_SEED'] ?? '', endProblems(path, end)), notes: notesOf(path, end) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Jobs of what was recorded, unless the script has not come to its end: then what is wrong with it. */
function read(path: string, file: string, seed: string, problems: readonly string[]): Omit<RecordedScript, 'notes'> {
  if (problems.length > 0) return { jobs: [], problems };
  const jobs = new ScriptJobs(path);
  const found: string[] = [];
  for (const [i, call] of callsOf(path, file, found).entries()) {
    try {
      jobs.add(scriptCall(path, i + 1, call, seed));
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      found.push(`${path}, call ${i + 1}: ${error.message}`);
    }
  }
  return { jobs: jobs.list, problems: found };
}

function callsOf(path: string, file: string, problems: string[]): readonly RecordedCall[] {
  try {
    return parseCalls(readStoredText(file));
  } catch (error) {
    problems.push(`${path}: ${(error as Error).message}; take the & from them`);
    return [];
  }
}

function scriptCall(path: string, n: number, { program, argv, cwd, seed }: RecordedCall, given: string) {
  const call = { words: [program, ...argv], cwd, where: `${path}, call ${n}`, name: `call${n}` };
  return seed === '' || seed === given ? call : { ...call, seed };
}

function endProblems(path: string, { failure, complaints }: ShellEnd): readonly string[] {
  const missed = complaints.filter((line) => MISSED.test(line));
  if (missed.length > 0) return [`${path}: runs are missing, for the shell says: ${missed[0]}; ${MISSED_ADVICE}`];
  if (failure === undefined) return [];
  const last = complaints.at(-1);
  return [`${path}: ${failure}${last === undefined ? '' : `; it says: ${last}`}`];
}

function notesOf(path: string, { complaints }: ShellEnd): readonly string[] {
  return complaints.map((line) => `${path}: the shell says: ${line}`);
}
