/** What a regression says while it plays. */

import { isExcused, isPass, type Job, type JobResult } from '../../regress/job.ts';
import type { Launcher } from '../../regress/launcher.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import { regressProgressText } from '../cli/regressProgressText.ts';
import { counted } from '../../uvm/report/counted.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';

/** Between two lines of a regression whose reader is no terminal (ms). */
const HEARTBEAT_MS = 10_000;

/** What is known of a regression before it plays. */
export interface RegressionStart {
  readonly source: string;
  readonly seed: number;
  readonly folder: string;
  /** Who plays: `2 workers`, `slurm`. */
  readonly where: string;
  /** Runs in all, and those of which the result is there already. */
  readonly total: number;
  readonly earlier: readonly JobResult[];
}

/** One line in place on a terminal, and one now and then elsewhere; failures as they happen, on any output. */
export class RegressProgress {
  readonly #line = new ProgressLine({ quietMs: 500 });
  readonly #total: number;
  readonly #quiet: boolean;
  readonly #launcher: Launcher;
  readonly #out: DescriptorOutput;
  readonly #err: DescriptorOutput;
  readonly #unused = new Set<string>();
  readonly #now: () => number;
  readonly #start: number;
  readonly #earlier: number;
  readonly #passed = new Set<string>();
  readonly #failed = new Set<string>();

  #heartbeat: number;

  /** @param now ms of a clock that only goes forward; replaced by specs */
  constructor(
    start: RegressionStart,
    quiet: boolean,
    launcher: Launcher,
    out: DescriptorOutput,
    err: DescriptorOutput,
    now: () => number = () => performance.now(),
  ) {
    this.#total = start.total;
    this.#now = now;
    this.#start = now();
    this.#heartbeat = this.#start + HEARTBEAT_MS;
    for (const result of start.earlier) (isExcused(result) ? this.#passed : this.#failed).add(result.id);
    this.#earlier = start.earlier.length;
    if (!quiet) out.line(startLine(start));
    this.#quiet = quiet;
    this.#launcher = launcher;
    this.#out = out;
    this.#err = err;
  }

  result(result: JobResult): void {
    for (const text of result.unused) this.#warn(text, result.id);
    if (isExcused(result)) this.#passed.add(result.id);
    else {
      this.#passed.delete(result.id);
      this.#failed.add(result.id);
    }
    if (!isPass(result)) {
      this.clear();
      if (!this.#quiet) this.#out.line(`${result.status.toUpperCase()} ${result.id}: ${result.message}`);
    }
    this.tick();
  }

  tick(): void {
    this.#line.update(() => this.#text());
    if (this.#line.enabled || this.#quiet || this.#now() < this.#heartbeat) return;
    this.#heartbeat = this.#now() + HEARTBEAT_MS;
    this.#out.line(`playing: ${this.#text()}`);
  }

  clear(): void {
    this.#line.clear();
  }

  /** A process died that was playing this run; what comes of the next attempt is another message. */
  retry(job: Job, why: string): void {
    if (this.#quiet) return;
    this.clear();
    this.#out.line(`CRASHED, tried again: ${job.id}: ${why.split('\n')[0]}`);
  }

  /** Something is to be known of the machines that play. */
  note(text: string): void {
    if (this.#quiet) return;
    this.clear();
    this.#out.line(`note: ${text}`);
  }

  /** Once per argument, at once: a night of runs may depend on a letter. */
  #warn(text: string, id: string): void {
    if (this.#unused.has(text)) return;
    this.#unused.add(text);
    this.clear();
    this.#err.line(`warning: ${text} (in ${id})`);
  }

  #text(): string {
    const elapsedMs = this.#now() - this.#start;
    const counts = { earlier: this.#earlier, passed: this.#passed.size, failed: this.#failed.size, total: this.#total };
    return regressProgressText({ ...counts, elapsedMs, playing: this.#launcher.playing() });
  }
}

function startLine({ source, seed, folder, where, total, earlier }: RegressionStart): string {
  const rest = earlier.length === 0 ? '' : `, ${earlier.length} of them played before`;
  return `regression ${source}: ${counted(total, 'run')}${rest}, seed ${seed}, ${where}, out ${folder}`;
}
