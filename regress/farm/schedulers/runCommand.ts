/** Runs a command of a scheduler. */

import { execFile, type ExecFileException } from 'node:child_process';
import { commandLine } from '../../../uvm/cmdline/shellQuote.ts';
import { SchedulerError } from '../scheduler.ts';

/** A scheduler that does not answer within this time is asked again later (ms). */
const PATIENCE_MS = 60_000;
const MOST_BYTES = 64 * 2 ** 20;

export interface CommandOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @throws SchedulerError when there is no such program, or when it does not end */
export function runCommand(program: string, words: readonly string[]): Promise<CommandOutput> {
  const options = { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES, encoding: 'utf8' } as const;
  return new Promise((resolve, reject) => {
    execFile(program, words, options, (error, out, err) => {
      if (error === null) resolve({ code: 0, out, err });
      else if (typeof error.code === 'number') resolve({ code: error.code, out, err });
      else reject(new SchedulerError(`${program}: ${whyNot(program, error)}`));
    });
  });
}

/** @throws SchedulerError also when it ends with an exit code other than 0 */
export async function mustSucceed(program: string, words: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand(program, words);
  if (code === 0) return out;
  throw new SchedulerError(
    `"${commandLine([program, ...words])}" ended with exit code ${code}: ${(err || out).trim()}`,
  );
}

function whyNot(program: string, error: ExecFileException): string {
  if (error.code === 'ENOENT') return `there is no program ${program} on the PATH of this machine`;
  return error.killed === true ? `gave no answer within ${PATIENCE_MS / 1000} s` : error.message;
}
