/**
 * `hca_regress worker`: takes chunks out of a queue and plays them, each in a process of its own: one that simulated in this
 * process would keep BullMQ from renewing the lock of its job.
 */

import { readFlags } from '../cli/readFlags.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataError } from '../../files/dataError.ts';
import { checkedData } from '../../files/json.ts';
import { isSessionPath } from '../../regress/farm/playChunk.ts';
import { SchedulerError } from '../../regress/farm/scheduler.ts';
import {
  connectionTo,
  loadBullmq,
  type QueueAddress,
  queuedChunkSchema,
} from '../../regress/farm/schedulers/bullmq.ts';
import { regressProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { wholeOf } from '../cli/flagValues.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { testFoldersIn } from '../cli/testFolders.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { WorkerPrograms } from '../many/localPool.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';
import { DEFAULT_QUEUE, queueAddress, REDIS_VARIABLE } from './queueAddress.ts';

const WORKER_FLAGS = {
  farms: {
    group: 'What is played:',
    type: 'string',
    value: 'folder',
    repeatable: true,
    describe: 'Folder below which regressions may lie; chunks of others are refused; may be repeated',
  },
  queue: {
    group: 'What is played:',
    type: 'string',
    value: 'name',
    describe: `Name of the queue (default ${DEFAULT_QUEUE})`,
  },
  jobs: {
    group: 'How:',
    type: 'string',
    value: 'n',
    alias: 'j',
    describe: 'Chunks at a time (default: one per processor)',
  },
  help: { group: 'How:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE = [
  `${REDIS_VARIABLE} in the environment has the address of Redis with its password: redis://:<password>@<host>:6379.`,
  'Code of a folder of tests is loaded only if it is named here: +TEST_PATH=<folder>. Ctrl-C ends what is being played;',
  'its runs are played elsewhere.',
].join('\n');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const MOST_JOBS = 512;
const SHOWN_ERROR = 2000;

interface WorkerCommand {
  readonly farms: readonly string[];
  readonly jobs: number;
  /** `+TEST_PATH=` words, which go on to chunks. */
  readonly permitted: readonly string[];
  readonly address: QueueAddress;
}

/** @param argv words behind `worker` @returns the exit code, when a signal has come */
export async function workerCommand(
  argv: readonly string[],
  { out, err }: Outputs,
  programs: WorkerPrograms,
): Promise<number> {
  const command = parse(argv);
  if (command === 'help') {
    out.line(await helpText(commandUsage('worker'), WORKER_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  if (Array.isArray(command)) {
    err.line(problemReport(regressProgram(), command));
    return EXIT.usage;
  }
  try {
    return await serve(command as WorkerCommand, programs, { out, err });
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    err.line(problemReport(regressProgram(), [`worker: ${error.message}`]));
    return EXIT.infrastructure;
  }
}

function parse(argv: readonly string[]): WorkerCommand | readonly string[] | 'help' {
  const checked = readFlags(commandLineTokens(argv), WORKER_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) return 'help';
  const problems = [...checked.problems];
  const words = checked.positionals.map(({ text }) => text);
  const permitted = words.filter((word) => testFoldersIn([word]).length > 0);
  for (const word of words)
    if (!permitted.includes(word)) problems.push(`worker: ${word}: has no meaning here; allowed: +TEST_PATH=<folder>`);
  const farms = checked.all('farms').map((path) => resolve(path));
  if (farms.length === 0) problems.push('worker: needs --farms <folder>, below which regressions may lie');
  const jobs = wholeOf(
    'jobs',
    flags['jobs'] as string | undefined,
    { least: 1, most: MOST_JOBS },
    availableParallelism(),
    problems,
  );
  const address = queueAddress((flags['queue'] as string | undefined) ?? DEFAULT_QUEUE);
  if (typeof address === 'string') return [...problems, address];
  return problems.length > 0 ? problems : { farms, jobs, permitted, address };
}

/** Until a signal comes. */
async function serve(command: WorkerCommand, programs: WorkerPrograms, { out, err }: Outputs): Promise<number> {
  const { Worker } = await loadBullmq();
  const chunks = new ChunkProcesses(command, programs);
  const { address, jobs } = command;
  // A job whose worker is gone counts as failed: the regression gives its runs out again.
  const options = { connection: connectionTo(address), concurrency: jobs, maxStalledCount: 0 };
  const worker = new Worker(address.queue, ({ data }) => chunks.play(data), options);
  let said = '';
  worker.on('error', ({ message }) => {
    if (message !== said) err.line(`${regressProgram()}: Redis: ${message}`);
    said = message;
  });
  worker.on('failed', (job, { message }) => err.line(`${regressProgram()}: chunk ${job?.id ?? ''}: ${message}`));
  out.line(`worker on queue ${address.queue}: ${jobs} chunks at a time, below ${command.farms.join(', ')}`);
  await new Promise<void>((done) => {
    for (const signal of SIGNALS) process.once(signal, () => done());
  });
  chunks.stop();
  await worker.close(true);
  return EXIT.passed;
}

/** Chunks that this worker plays. */
class ChunkProcesses {
  readonly #command: WorkerCommand;
  readonly #program: readonly string[];
  readonly #running = new Set<ChildProcess>();

  constructor(command: WorkerCommand, { chunkProgram }: WorkerPrograms) {
    this.#command = command;
    this.#program = chunkProgram ?? [join(fileURLToPath(projectRoot()), 'hca_regress')];
  }

  /**
   * @param data from the queue: anybody may have written anything there
   * @throws Error for what is no chunk of a regression that may be played here, and when its process fails
   */
  async play(data: unknown): Promise<void> {
    const { session, chunk } = this.#chunkOf(data);
    const [program = '', ...words] = [...this.#program, 'chunk', session, ...this.#command.permitted, String(chunk)];
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running.add(child);
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said = (said + piece.toString()).slice(-SHOWN_ERROR);
    });
    const code = await new Promise<number | string>((ended, failed) => {
      child.on('error', failed);
      child.on('close', (exitCode, signal) => ended(exitCode ?? signal ?? ''));
    });
    this.#running.delete(child);
    if (code !== 0) throw new Error(said.trim() || `its process ended with ${code}`);
  }

  stop(): void {
    for (const child of this.#running) child.kill('SIGTERM');
  }

  #chunkOf(data: unknown): { readonly session: string; readonly chunk: number } {
    try {
      const queued = checkedData(data, queuedChunkSchema);
      const isBelow = this.#command.farms.some((folder) => queued.session.startsWith(folder + sep));
      if (isBelow && isSessionPath(queued.session)) return queued;
      throw new DataError(`session: is none below ${this.#command.farms.join(', ')}`);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      throw new Error(`what came from the queue is no chunk: ${error.message}`);
    }
  }
}
