/**
 * Chunks by commands of the user's, one call each. Without `status` the command takes as long as the chunk does, as `srun`
 * and `ssh` do; with it the command hands the chunk over, says on its last line how it is called, and ends, as `qsub` does.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { commandLine, shellQuote } from '../../../uvm/cmdline/shellQuote.ts';
import type { ChunkNumber } from '../farmFolder.ts';
import { type ChunkCommand, type ChunkRange, type ScheduledJob, type Scheduler, SchedulerError } from '../scheduler.ts';
import { mustSucceed, runCommand } from './runCommand.ts';

export interface TemplateOptions {
  /** Plays a chunk, or hands it over: `ssh node{slot} {quoted}`, `qsub -terse -b y {command}`. */
  readonly submit: string;
  /** Ends well as long as a chunk that was handed over waits or runs: `qstat -j {id}`. */
  readonly status: string | undefined;
  /** Ends a chunk that was handed over: `qdel {id}`. */
  readonly cancel: string | undefined;
  /** Chunks at a time that are not handed over. */
  readonly slots: number;
}

type Values = Readonly<Record<string, string>>;

const OF_SUBMIT = ['command', 'quoted', 'chunk', 'slot'] as const;
const OF_ID = ['id'] as const;
const SHOWN_OUTPUT = 400;

/** What is wrong with a template; undefined where nothing is. */
export function templateMistake(kind: 'submit' | 'status' | 'cancel', template: string): string | undefined {
  const known: readonly string[] = kind === 'submit' ? OF_SUBMIT : OF_ID;
  const used = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const unknown = used.find((name) => !known.includes(name));
  if (unknown !== undefined) return `{${unknown}} stands for nothing; there are {${known.join('}, {')}}`;
  if (kind === 'submit' && !used.includes('command') && !used.includes('quoted'))
    return 'needs {command}, which stands for what plays a chunk, or {quoted}, the same as one word';
  return kind === 'submit' || used.includes('id') ? undefined : 'needs {id}, which --submit prints on its last line';
}

export function newTemplateScheduler(options: TemplateOptions & ChunkCommand): Scheduler {
  const { status, cancel } = options;
  return status === undefined ? new CallScheduler(options) : new HandOverScheduler({ ...options, status, cancel });
}

/** A command for each chunk, which ends with the chunk. */
class CallScheduler implements Scheduler {
  readonly name = 'template';
  readonly #options: TemplateOptions & ChunkCommand;
  readonly #waiting: ChunkNumber[] = [];
  readonly #calls = new Map<ChunkNumber, { readonly slot: number; readonly child: ChildProcess }>();
  #failure = '';
  #failures = 0;

  constructor(options: TemplateOptions & ChunkCommand) {
    this.#options = options;
  }

  async submit({ first, count }: ChunkRange): Promise<readonly ScheduledJob[]> {
    const chunks = Array.from({ length: count }, (_, i) => (first + i) as ChunkNumber);
    this.#waiting.push(...chunks);
    this.#fill();
    return chunks.map((chunk) => String(chunk) as ScheduledJob);
  }

  async ended(jobs: readonly ScheduledJob[]): Promise<ReadonlySet<ScheduledJob>> {
    if (this.#failures >= MOST_FAILURES) throw new SchedulerError(this.#failure);
    const there = new Set<number>([...this.#waiting, ...this.#calls.keys()]);
    return new Set(jobs.filter((job) => !there.has(Number(job))));
  }

  async cancel(jobs: readonly ScheduledJob[]): Promise<void> {
    const chunks = new Set(jobs.map((job) => Number(job) as ChunkNumber));
    const kept = this.#waiting.filter((chunk) => !chunks.has(chunk));
    this.#waiting.splice(0, this.#waiting.length, ...kept);
    const ended = [...chunks].flatMap((chunk) => this.#calls.get(chunk)?.child ?? []);
    await Promise.all(ended.map(endGroup));
  }

  async close(): Promise<void> {
    this.#waiting.length = 0;
  }

  #fill(): void {
    while (this.#calls.size < this.#options.slots) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) return;
      this.#call(chunk, this.#freeSlot());
    }
  }

  #freeSlot(): number {
    const taken = new Set([...this.#calls.values()].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }

  #call(chunk: ChunkNumber, slot: number): void {
    const text = filled(this.#options.submit, submitValues(this.#options, chunk, slot));
    // A group of its own: what it has started ends with it.
    const child = spawn('sh', ['-c', text], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said = (said + piece.toString()).slice(-SHOWN_OUTPUT);
    });
    this.#calls.set(chunk, { slot, child });
    child.on('error', (error) => this.#ended(chunk, error.message));
    child.on('close', (code) =>
      this.#ended(chunk, code === 0 ? '' : `"${text}" ended with exit code ${code}: ${said.trim()}`),
    );
  }

  #ended(chunk: ChunkNumber, failure: string): void {
    if (!this.#calls.delete(chunk)) return;
    this.#failure = failure;
    this.#failures = failure === '' ? 0 : this.#failures + 1;
    this.#fill();
  }
}

/** Calls that fail one after another are no accident. */
const MOST_FAILURES = 20;

/** Chunks that are handed over to a queue. */
class HandOverScheduler implements Scheduler {
  readonly name = 'template';
  readonly #options: TemplateOptions & ChunkCommand & { readonly status: string };

  constructor(options: TemplateOptions & ChunkCommand & { readonly status: string }) {
    this.#options = options;
  }

  async submit({ first, count }: ChunkRange): Promise<readonly ScheduledJob[]> {
    const jobs: ScheduledJob[] = [];
    for (let i = 0; i < count; i++) {
      const text = filled(this.#options.submit, submitValues(this.#options, (first + i) as ChunkNumber, i));
      const id = (await mustSucceed('sh', ['-c', text])).trim().split('\n').at(-1)?.trim() ?? '';
      if (id === '')
        throw new SchedulerError(`"${text}" printed nothing; expected the name of the job as its last line`);
      jobs.push(id as ScheduledJob);
    }
    return jobs;
  }

  async ended(jobs: readonly ScheduledJob[]): Promise<ReadonlySet<ScheduledJob>> {
    const ended = new Set<ScheduledJob>();
    for (const job of jobs) if ((await this.#run(this.#options.status, job)).code !== 0) ended.add(job);
    return ended;
  }

  async cancel(jobs: readonly ScheduledJob[]): Promise<void> {
    const { cancel } = this.#options;
    if (cancel === undefined) return;
    for (const job of jobs) await this.#run(cancel, job).catch(() => undefined);
  }

  async close(): Promise<void> {}

  #run(template: string, job: ScheduledJob): ReturnType<typeof runCommand> {
    return runCommand('sh', ['-c', filled(template, { id: shellQuote(job) })]);
  }
}

function submitValues({ command }: ChunkCommand, chunk: ChunkNumber, slot: number): Values {
  const line = commandLine([...command, String(chunk)]);
  return { command: line, quoted: shellQuote(line), chunk: String(chunk), slot: String(slot) };
}

function filled(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (word, name: string) => values[name] ?? word);
}

/** Ends a command with all that it has started; what does not listen is killed. */
async function endGroup(child: ChildProcess): Promise<void> {
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  if (child.pid === undefined || child.exitCode !== null) return;
  signalGroup(child.pid, 'SIGTERM');
  const killed = setTimeout(() => signalGroup(child.pid as number, 'SIGKILL'), PATIENCE_MS);
  await closed;
  clearTimeout(killed);
}

const PATIENCE_MS = 3000;

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
