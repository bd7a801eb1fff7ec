/** One run of a regression: what is asked for, and what came of it. Plain data: it crosses processes and is journalled. */

import type { RunSignature } from './runRecord.ts';
import type { Verdict } from './verdict.ts';

/** Family of known failures, which are played before everything else. */
export const FAILURES_FAMILY = 'failures';

/** One run to be played. */
export interface Job {
  /** Unique in the regression and stable while the list stays the same: `multiqp/0012-s1`. */
  readonly id: string;
  /** Group in tables and `classname` in JUnit: the list entry or the script. */
  readonly family: string;
  /** What distinguishes this run within its family, for people: `RC_QP_NUM=16 SEND_WQE_NUM=1`. */
  readonly title: string;
  /** Arguments of `hca_test`, seed included. */
  readonly argv: readonly string[];
  /** Folder for relative paths in `argv`; default: where the regression was started. */
  readonly cwd: string;
  /** Where the user wrote it: `lists/smoke.yaml:12:5`, `case/multiqp.sh:40`. */
  readonly where: string;
  /** Wall-clock limit in seconds; 0 = that of the regression. */
  readonly timeoutSeconds: number;
  /** Name of its list or script in a regression of several; absent in one of one. */
  readonly list?: string | undefined;
}

/**
 * Beyond the verdicts of a run: it failed by nothing but known issues; it did not pass, and played once more it went otherwise;
 * its process died, it ran out of time, or its arguments were wrong.
 */
export type JobStatus = Verdict | 'known' | 'nondeterministic' | 'crashed' | 'timeout' | 'usage';

/** A run that is not played, because the NIC does not have what it needs. */
export interface SkippedJob {
  readonly job: Job;
  readonly reason: string;
}

/** What explains the failure of a run. */
export interface JobCause {
  /** `failure.md` in its folder; '' when none was kept. */
  readonly page: string;
  /** What the first error accuses, and what contradicts that, in words. */
  readonly accuses: readonly string[];
  /** The event that decides it, with its time; '' where none is known. */
  readonly decides: string;
  /** The smallest case that fails in the same way; absent where nobody has looked for it. */
  readonly shrunk?: ShrunkCase | undefined;
}

/** What shrinking has left of a failing run. */
export interface ShrunkCase {
  /** `shrunk.yaml` in the folder of the run. */
  readonly scenario: string;
  /** The line to paste to play it. */
  readonly replay: string;
  readonly calls: number;
  readonly requests: number;
  /** What says that it is legal: `the run without +DUT_FAULT=x passes`. */
  readonly legal: string;
  /** Why nothing more was taken out though something may be; '' where nothing can be. */
  readonly ended: string;
}

/** What known issues are held against. */
export interface JobFindings {
  /** Kind of NIC. */
  readonly dut: string;
  /** Of the run, files of arguments expanded. */
  readonly plusargs: readonly string[];
  /** All errors, each once, without what is different in each run. */
  readonly errors: readonly { readonly id: string; readonly text: string }[];
  /** There were no more. */
  readonly isWhole: boolean;
}

/** Which known issues excuse all findings of a run, and what it was without them. */
export interface KnownRun {
  readonly was: JobStatus;
  /** In words, with owner and link. */
  readonly issues: readonly string[];
}

/** How it ended. */
export interface JobResult {
  readonly id: string;
  readonly family: string;
  readonly title: string;
  readonly status: JobStatus;
  /** Test name, '' when the arguments could not be read. */
  readonly test: string;
  readonly seed: number;
  /** 1, or more when the run was repeated after its process died. */
  readonly attempts: number;
  readonly wallMs: number;
  readonly simulatedTimePs: number;
  /** Number of checks that the scoreboard made. */
  readonly checks: number;
  readonly transcript: string;
  readonly signature: RunSignature | null;
  /** Ids of all errors of the run, each once, in the order in which they came first; at most 16. */
  readonly errorIds: readonly string[];
  /** What went wrong in one line; '' for a pass. */
  readonly message: string;
  /** The line to paste to run this one again. */
  readonly replay: string;
  /** Folder with run.json, '' when none was kept. */
  readonly folder: string;
  /** Log of the run: `run.log` in its folder or the file that its arguments name; '' when none was kept. */
  readonly log: string;
  /** What explains a failure; absent where nothing does. */
  readonly cause?: JobCause | undefined;
  /** What a planted bug did to a run that passes with it, in one line; absent where there is none. */
  readonly bugEffect?: string | undefined;
  /** Arguments that took no effect, each with the reason. */
  readonly unused: readonly string[];
  /** Errors that report settings switched off or lowered: without them the run would have failed. */
  readonly switchedOff: number;
  /** Files of the run that could not be written, each with the reason; absent for none. */
  readonly lost?: readonly string[] | undefined;
  /** Of a run that did not pass and has a record; else absent. */
  readonly findings?: JobFindings | undefined;
  /** Absent where `status` is not `known`. */
  readonly known?: KnownRun | undefined;
  /** Worker that ran it, from 0. */
  readonly worker: number;
  /** When it began, ISO 8601, UTC; absent where that is not known. */
  readonly started?: string | undefined;
}

/** A run passed; everything else is not passed. */
export function isPass(result: JobResult): boolean {
  return result.status === 'passed';
}

/** It passed, or failed by nothing but known issues. */
export function isExcused(result: JobResult): boolean {
  return isPass(result) || result.status === 'known';
}

/** A check failed, as against: something kept the run from being judged. */
export function isFailure(result: JobResult): boolean {
  return result.status === 'failed' || result.status === 'vacuous' || result.status === 'nondeterministic';
}

/** What is said of a run of which nothing is known yet, or of which nobody wants to know it. */
export const NOTHING_PLAYED = {
  simulatedTimePs: 0,
  checks: 0,
  transcript: '',
  signature: null,
  errorIds: [],
  message: '',
  folder: '',
  log: '',
  unused: [],
  switchedOff: 0,
} as const satisfies Partial<JobResult>;
