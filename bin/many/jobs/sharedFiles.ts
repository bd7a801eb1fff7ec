/** Keeps runs of one regression from writing over each other's files. */

import { statOf } from '../../../files/statOf.ts';
import { extname, resolve } from 'node:path';
import type { Job } from '../../../regress/job.ts';
import { parseTestCommand, type TestCommand } from '../../cli/commands/testCommand.ts';

/** A file that several runs would write. */
interface Shared {
  readonly flag: '-l' | '--pcap' | '--trace' | '--dump-scenario';
  /** As the run names it. */
  readonly path: string;
  readonly job: Job;
  /** The first run that writes it. */
  readonly first: Job;
}

/** One message per file that several runs of a list would write; the runs are combinations of one line. */
export function sharedFileProblems(jobs: readonly Job[]): string[] {
  const found = new Map<string, string>();
  for (const { flag, path, job, first } of sharedFiles(jobs)) {
    const advice = flag === '-l' ? 'leave it out, --keep all keeps a log of each' : 'give it without a name';
    const others = `${first.id} and ${job.id} would write over each other`;
    found.set(`${flag} ${path}`, `${job.where}: ${flag} ${path}: ${others}; ${advice}`);
  }
  return [...found.values()];
}

/** The runs of a script with logs of their own, and a note for each log that is called differently. */
export function separateLogs(jobs: readonly Job[]): { jobs: Job[]; notes: string[] } {
  const notes: string[] = [];
  const taken = new Set(jobs.flatMap((job) => outputsOf(job).map(({ path }) => resolve(job.cwd, path))));
  const changed = new Map<Job, Job>();
  for (const { flag, path, job, first } of sharedFiles(jobs)) {
    const log = flag === '-l' ? freeName(path, job.cwd, taken) : path;
    const advice = flag === '-l' ? `this run writes ${log}` : 'the runs write over each other; name another';
    notes.push(`${job.where}: ${flag} ${path} is also written by ${first.where}; ${advice}`);
    const argv = (changed.get(job) ?? job).argv.map((word, i, all) => withLog(word, all[i - 1], path, log));
    changed.set(job, { ...job, argv });
  }
  return { jobs: jobs.map((job) => changed.get(job) ?? job), notes };
}

function sharedFiles(jobs: readonly Job[]): Shared[] {
  const owners = new Map<string, Job>();
  return jobs.flatMap((job) =>
    outputsOf(job).flatMap(({ flag, path }) => {
      const file = resolve(job.cwd, path);
      const first = owners.get(file);
      if (first === undefined) owners.set(file, job);
      // Two files of one run that are one are a mistake of that run.
      return first === undefined || first === job || isDevice(file) ? [] : [{ flag, path, job, first }];
    }),
  );
}

/** Words without which a run names no file of its own: most runs of a regression need no closer look. */
const NAMES_FILE = /^(-l|--log|--pcap|--trace|--dump-scenario|-f|-F|-file|\+PCAP|\+TRACE|\+DUMP_SCENARIO)(=|$)/;

function outputsOf(job: Job): { flag: Shared['flag']; path: string }[] {
  if (!job.argv.some((word) => NAMES_FILE.test(word))) return [];
  const command: TestCommand = parseTestCommand(job.argv, {}, job.cwd);
  const named = [
    { flag: '-l', path: command.log },
    { flag: '--pcap', path: command.pcap },
    { flag: '--trace', path: command.trace },
    { flag: '--dump-scenario', path: command.dumpScenario },
  ] as const;
  return named.flatMap(({ flag, path }) => (path === undefined || path === '' ? [] : [{ flag, path }]));
}

function withLog(word: string, before: string | undefined, path: string, log: string): string {
  if (word === path && (before === '-l' || before === '--log')) return log;
  return word === `--log=${path}` ? `--log=${log}` : word;
}

function freeName(path: string, cwd: string, taken: Set<string>): string {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let n = 2; ; n++) {
    const name = `${stem}.${n}${ending}`;
    if (taken.has(resolve(cwd, name))) continue;
    taken.add(resolve(cwd, name));
    return name;
  }
}

/** `/dev/null` takes what everybody writes. */
export function isDevice(path: string): boolean {
  const found = statOf(path);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
