/** What the flags for seeds of a regression mean for the lines of a script. */

import { extname, resolve } from 'node:path';
import type { Job } from '../../../regress/job.ts';
import { derivedSeed, reseedCount } from '../../../regress/seeds.ts';
import type { RegressCommand } from '../../cli/commands/regressCommand.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import { isDevice } from './sharedFiles.ts';

/** Flags whose value is a file that the run writes, in the next word or behind `=`. */
const NEXT_IS_OUTPUT = /^(-l|--log|--dump-scenario)$/;
const OUTPUT = /^(--log|--pcap|--trace|--dump-scenario|\+PCAP|\+TRACE|\+DUMP_SCENARIO)=(.+)$/s;

/**
 * Gives lines that name no seed derived ones, as many as `--reseed` and its multiplier ask for, or the fixed one, when
 * one of these flags is given; a script is otherwise run as it is. Runs of one line write files of their own.
 * @returns also a note about lines that name a seed, which they keep
 */
export function seedScript(jobs: readonly Job[], command: RegressCommand): { jobs: readonly Job[]; notes: string[] } {
  const flag = flagOf(command);
  if (flag === undefined) return { jobs, notes: [] };
  const own = jobs.filter(namesSeed);
  const [first] = own;
  const many = own.length === 1 ? 'a line names a seed and keeps it' : `${own.length} lines name seeds and keep them`;
  const notes = first === undefined ? [] : [`${first.where}: ${many}; ${flag} is for lines that name none`];
  const named = new Set(own);
  const seeded = jobs.flatMap((job) => (named.has(job) ? [job] : repetitions(job, command)));
  return { jobs: seeded, notes };
}

/** The flag that gives lines their seeds; undefined = none does. */
function flagOf({ seed, seedGiven, reseed, reseedMultiplier, fixedSeed }: RegressCommand): string | undefined {
  if (fixedSeed !== undefined) return `--fixed-seed ${fixedSeed}`;
  if (reseed !== undefined) return `--reseed ${reseed}`;
  if (reseedMultiplier !== undefined) return `--reseed-multiplier ${reseedMultiplier}`;
  return seedGiven ? `--seed ${seed}` : undefined;
}

function namesSeed(job: Job): boolean {
  return parseTestCommand(job.argv, {}, job.cwd).seedGiven;
}

function repetitions(job: Job, { seed: base, reseed = 1, reseedMultiplier, fixedSeed }: RegressCommand): Job[] {
  const seeds = new Set<number>(fixedSeed === undefined ? [] : [fixedSeed]);
  const count = fixedSeed === undefined ? reseedCount(reseed, reseedMultiplier) : 1;
  for (let n = 0; seeds.size < count; n++) seeds.add(derivedSeed(base, job.family, job.id, n));
  return [...seeds].map((seed) => {
    const argv = count === 1 ? job.argv : withOwnFiles(job, seed);
    return { ...job, id: `${job.id}-s${seed}`, argv: [...argv, '--seed', String(seed)] };
  });
}

function withOwnFiles({ argv, cwd }: Job, seed: number): string[] {
  return argv.map((word, i) => {
    if (NEXT_IS_OUTPUT.test(argv[i - 1] ?? '')) return ownFile(word, cwd, seed);
    const inline = OUTPUT.exec(word);
    return inline === null ? word : `${inline[1]}=${ownFile(inline[2] as string, cwd, seed)}`;
  });
}

function ownFile(path: string, cwd: string, seed: number): string {
  const ending = extname(path);
  return isDevice(resolve(cwd, path)) ? path : `${path.slice(0, path.length - ending.length)}-s${seed}${ending}`;
}
