/** How the user has called the programs, so that lines to be pasted work where they are read. */

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Job } from '../regress/job.ts';
import { projectRoot } from './versions.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Set by the launchers, as typed: a path, also that of a link. */
const TEST = 'HCA_TEST_CALLED_AS';
const REGRESS = 'HCA_REGRESS_CALLED_AS';
const PERF = 'HCA_PERF_CALLED_AS';

/** How `hca_test` is called for one run. */
export interface TestCall {
  readonly program: string;
  /** Folder to go to before, where the run does not belong to the one in which the user is. */
  readonly from?: string;
}

/** `hca_perf` as it was called. */
export function perfProgram(env: Environment = process.env): string {
  return env[PERF] ?? './hca_perf';
}

/** `hca_regress` as it was called. */
export function regressProgram(env: Environment = process.env): string {
  return env[REGRESS] ?? './hca_regress';
}

/**
 * `hca_test` as it was called, or as it stands beside the `hca_regress` that was called.
 * @param start folder in which the user called
 */
export function testProgram(env: Environment = process.env, start = process.cwd()): string {
  if (env[TEST] !== undefined) return env[TEST];
  if (env[REGRESS] === undefined) return './hca_test';
  const sibling = `${dirname(env[REGRESS])}/hca_test`;
  // A link to hca_regress may be anywhere.
  return existsSync(resolve(start, sibling)) ? sibling : join(fileURLToPath(projectRoot()), 'hca_test');
}

/** How a run of a regression is called by hand from the folder in which the regression was started. */
export function callOf(job: Job, start: string, env: Environment = process.env): TestCall {
  const program = testProgram(env, start);
  return job.cwd === start ? { program } : { program: resolve(start, program), from: job.cwd };
}
