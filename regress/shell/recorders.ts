/** The programs that stand in for `hca_test` and `bsub` while a shell runs a script: they note how they are called. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../../uvm/cmdline/shellQuote.ts';

/**
 * Names the recorder of `hca_test` to whoever calls the launcher by its path (`./hca_test`), which hands over to it.
 * A regression that finds it set is itself called by a script that is being recorded.
 */
export const RECORDER_VARIABLE = 'HCA_REGRESS_RECORDER';

/** One call, as it was recorded. */
export interface RecordedCall {
  readonly program: 'hca_test' | 'bsub';
  readonly cwd: string;
  /** Seed of the environment, '' = none. */
  readonly seed: string;
  readonly argv: readonly string[];
}

const END = 'end of call';

/** @param folder empty; gets the programs and, as they are called, their notes */
export function writeRecorders(folder: string): { readonly programs: string; readonly calls: string } {
  const [programs, calls] = [join(folder, 'programs'), join(folder, 'calls')];
  mkdirSync(programs);
  writeFileSync(calls, '');
  for (const program of ['hca_test', 'bsub'] as const)
    writeFileSync(join(programs, program), recorder(program, calls), { mode: 0o755 });
  return { programs, calls };
}

/** @throws Error when calls at the same time have mixed what they wrote */
export function parseCalls(text: string): RecordedCall[] {
  const fields = text.split('\0');
  const calls: RecordedCall[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const [program = '', count = '', cwd = '', seed = ''] = fields.slice(at, at + 4);
    const end = at + 4 + Number(count);
    const isWhole = (program === 'hca_test' || program === 'bsub') && fields[end] === END;
    if (!isWhole) throw new Error('calls at the same time have mixed their records');
    calls.push({ program, cwd, seed, argv: fields.slice(at + 4, end) });
    at = end + 1;
  }
  return calls;
}

/** A shell writes what one `printf` prints in one piece, as long as it is no more than a page. */
function recorder(program: RecordedCall['program'], calls: string): string {
  const fields = `${program} "$#" "$PWD" "\${COCOTB_RANDOM_SEED-}" "$@" '${END}'`;
  const answer = program === 'bsub' ? ["echo 'Job <1> is submitted to queue <recorded>.'"] : [];
  return ['#!/bin/sh', `printf '%s\\0' ${fields} >>${shellQuote(calls)} || exit 3`, ...answer, ''].join('\n');
}
