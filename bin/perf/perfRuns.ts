/** The runs of a measurement: a job for each kind of NIC and size, held against the NIC before anything is played. */

import { join } from 'node:path';
import type { Job } from '../../regress/job.ts';
import { lockFolder } from '../../regress/folderLock.ts';
import { setEarlierAside } from '../../regress/setEarlierAside.ts';
import { parseRegressCommand, type RegressCommand } from '../cli/commands/regressCommand.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { NO_JOBS } from '../many/jobs/askedJobs.ts';
import type { WorkerPrograms } from '../many/localPool.ts';
import { openAll } from '../many/jobs/ownFolders.ts';
import { planOf } from '../many/planOf.ts';
import { playRegression } from '../many/playRegression.ts';
import type { Registries } from '../registries.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { makeNamedFolder } from '../run/outputPaths.ts';
import { jobProblems, problemsWith } from '../run/playCommand.ts';
import { EXIT } from '../run/runSpec.ts';
import type { PerfCommand } from './perfCommand.ts';

/** Data of a queue pair where the number of messages is not given. */
const USUAL_BYTES = 2 ** 24;
const USUAL_ITERATIONS = 1000;
const FEWEST = 8;

/** What came of them. */
export interface PlayedPerf {
  readonly code: number;
  /** Mistakes that kept them from being played, each once. */
  readonly problems: readonly string[];
  /** What the machinery said where it failed. */
  readonly said: string;
}

/**
 * Plays them as a regression, which leaves its records in a folder and prints nothing.
 * @param argv of `hca_perf`, for the journal
 */
export async function playPerf(
  command: PerfCommand,
  folder: string,
  registries: Registries,
  programs: WorkerPrograms,
  argv: readonly string[],
): Promise<PlayedPerf> {
  const jobs = perfJobs(command);
  const regress = parseRegressCommand([
    ...['run', command.test, '--keep', 'all', '--quiet', '--out', folder, '--jobs', command.jobs],
  ]);
  await openAll(jobs, registries, regress);
  const problems = [...regress.problems, ...jobs.flatMap((job) => mistakesOf(job, registries))];
  if (problems.length > 0) return refused(problems);
  const unmade = makeNamedFolder('--out', folder);
  const lock = unmade.length > 0 ? unmade.join('; ') : lockFolder(folder);
  if (typeof lock === 'string') return refused([lock]);
  try {
    setEarlierAside(folder);
    const said = new KeptText();
    const code = await play(jobs, regress, { folder, registries, argv }, programs, said);
    return { code, problems: [], said: said.text.trimEnd() };
  } finally {
    lock.release();
  }
}

function refused(problems: readonly string[]): PlayedPerf {
  return { code: EXIT.usage, problems: [...new Set(problems)], said: '' };
}

function play(
  jobs: readonly Job[],
  regress: RegressCommand,
  its: { readonly folder: string; readonly registries: Registries; readonly argv: readonly string[] },
  programs: WorkerPrograms,
  said: KeptText,
): Promise<number> {
  const source = { ...NO_JOBS, jobs, testFolders: its.registries.compiled };
  const plan = planOf(regress, source, ['hca_perf', ...its.argv]);
  return playRegression(regress, { folder: its.folder, source, plan }, programs, { out: said, err: said });
}

/** What a regression would print. */
class KeptText extends DescriptorOutput {
  text = '';

  constructor() {
    super(-1);
  }

  override line(text: string): void {
    this.text += `${text}\n`;
  }

  override flush(): void {}
}

/** What is wrong with the arguments of a run, as `hca_test` would say it. */
function mistakesOf({ argv, cwd }: Job, registries: Registries): readonly string[] {
  const command = loadCommand(parseTestCommand(argv, {}, cwd), cwd);
  return problemsWith(registries.of(command.testPath, cwd), command, (registry) => jobProblems(command, registry, cwd));
}

function perfJobs(command: PerfCommand): readonly Job[] {
  return command.kinds.flatMap((kind) =>
    command.sizes.map((size) => ({
      id: `${kind}-${size}`,
      family: command.test,
      title: `${kind} ${size} B`,
      argv: argvOf(command, kind, size),
      cwd: process.cwd(),
      where: 'hca_perf',
      timeoutSeconds: 0,
    })),
  );
}

/** Folder of the records of the runs. */
export function recordsIn(folder: string): string {
  return join(folder, 'runs');
}

/** The run of one size, as it would be typed; the first of several words of one name counts. */
function argvOf(command: PerfCommand, kind: string, size: number): readonly string[] {
  const { test, service, queuePairs, mtu, txDepth, rxDepth, inline, atomic, seed } = command;
  const iterations = command.iterations > 0 ? command.iterations : usualIterations(size);
  const count = (type: string): number => (type === service ? queuePairs : 0);
  const words = [
    ['UVM_TESTNAME', 'test_perf'],
    ['DUT', kind],
    ['PERF', test],
    ['HOST_NUM', 2],
    ['PROC_NUM', 1],
    ...['RC', 'UC', 'UD'].map((type) => [`${type}_QP_NUM`, count(type)]),
    ['SEQ_COUNT', iterations],
    ['PERF_BYTES', size],
    ['MTU', mtu],
    ['PERF_TX_DEPTH', txDepth],
    ['PERF_RX_DEPTH', rxDepth],
    ['MAX_SEND_WR', Math.max(32, txDepth)],
    ['MAX_RECV_WR', Math.max(31, rxDepth)],
    ['PERF_INLINE', inline],
    ['MAX_INLINE', inline],
    ['PERF_BIDIRECTIONAL', Number(command.bidirectional)],
    ['PERF_ATOMIC', atomic],
    ['PERF_WARM_UP', command.warmUp ? Math.min(txDepth, iterations) : 0],
  ];
  return [...command.plusargs, ...words.map(([name, value]) => `+${name}=${value}`), '--seed', seed];
}

function usualIterations(size: number): number {
  return Math.max(FEWEST, Math.min(USUAL_ITERATIONS, Math.floor(USUAL_BYTES / size)));
}
