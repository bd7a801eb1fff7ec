/** What a regression says while it plays. */

import type { Job, JobResult } from '../../regress/job.ts';
import type { Launcher } from '../../regress/launcher.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import { regressProgressText } from '../cli/regressProgressText.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';

/** One line in place on a terminal; failures as they happen, on any output. */
export class RegressProgress {
  readonly #line = new ProgressLine({ quietMs: 500 });
  readonly #total: number;
  readonly #quiet: boolean;
  readonly #launcher: Launcher;
  readonly #out: DescriptorOutput;
  readonly #err: DescriptorOutput;
  readonly #unused = new Set<string>();
  readonly #start = performance.now();
  readonly #passed = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(total: number, quiet: boolean, launcher: Launcher, out: DescriptorOutput, err: DescriptorOutput) {
    this.#total = total;
    this.#quiet = quiet;
    this.#launcher = launcher;
    this.#out = out;
    this.#err = err;
  }

  result(result: JobResult): void {
    for (const text of result.unused) this.#warn(text, result.id);
    if (result.status === 'passed') this.#passed.add(result.id);
    else {
      this.#passed.delete(result.id);
      this.#failed.add(result.id);
      this.clear();
      if (!this.#quiet) this.#out.line(`${result.status.toUpperCase()} ${result.id}: ${result.message}`);
    }
    this.tick();
  }

  tick(): void {
    this.#line.update(() => this.#text());
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

  /** Once per argument, at once: a night of runs may depend on a letter. */
  #warn(text: string, id: string): void {
    if (this.#unused.has(text)) return;
    this.#unused.add(text);
    this.clear();
    this.#err.line(`warning: ${text} (in ${id})`);
  }

  #text(): string {
    const elapsedMs = performance.now() - this.#start;
    const counts = { passed: this.#passed.size, failed: this.#failed.size, total: this.#total };
    return regressProgressText({ ...counts, elapsedMs, playing: this.#launcher.playing() });
  }
}
