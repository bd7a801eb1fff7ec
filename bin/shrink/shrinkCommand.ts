/** `hca_test --shrink <run.json>`: the smallest scenario that fails as a recorded run does. */

import { availableParallelism } from 'node:os';
import { RunRecordError } from '../../regress/runRecordError.ts';
import { counted } from '../../uvm/report/counted.ts';
import { testProgram } from '../calledAs.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import type { TestCommand } from '../cli/commands/testCommand.ts';
import type { Registries } from '../registries.ts';
import { EXIT } from '../run/runSpec.ts';
import type { WorkerPrograms } from '../many/localPool.ts';
import { ShrinkError, type ShrinkTask } from './shrinkFailure.ts';
import type { ShrinkProgress } from './shrinker.ts';
import { shrunkRecord } from './shrunkRecord.ts';

/** What a record is shrunk with. */
interface ShrinkContext {
  readonly registries: Registries;
  /** What worker processes load; default: what the build has. */
  readonly programs?: WorkerPrograms;
  readonly out: DescriptorOutput;
  readonly err: DescriptorOutput;
}

/** Shrinks the run of a record. @returns the exit code */
export async function shrinkRecord(path: string, typed: TestCommand, context: ShrinkContext): Promise<number> {
  const { out, err, registries, programs = {} } = context;
  const count = typed.shrinkJobs ?? availableParallelism();
  const workers = count === 1 ? {} : { workers: { count, programs } };
  try {
    const { shrunk, lines } = await watched(out, (watch) =>
      shrunkRecord(path, typed, { registries, ...workers, ...watch }),
    );
    for (const line of lines) out.line(line);
    out.line(`play it: ${shrunk.replay}`);
    return EXIT.passed;
  } catch (error) {
    if (!(error instanceof ShrinkError || error instanceof RunRecordError)) throw error;
    err.line(`${testProgram()}: --shrink ${path}: ${error.message}`);
    return error instanceof RunRecordError ? EXIT.usage : EXIT.failed;
  } finally {
    out.flush();
  }
}

/** With progress on a terminal, until nothing can be taken out any more or somebody interrupts it. */
async function watched<T>(
  out: DescriptorOutput,
  work: (watch: Required<Pick<ShrinkTask, 'stop' | 'progress'>>) => Promise<T>,
): Promise<T> {
  const progress = new ProgressLine();
  let interrupted = false;
  const onSignal = (): void => {
    interrupted = true;
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  let told = performance.now();
  try {
    return await work({
      stop: async () => {
        // Signals are delivered between two runs.
        await new Promise((resolve) => void setImmediate(resolve));
        return interrupted ? 'interrupted' : undefined;
      },
      progress: (state) => {
        progress.update(() => progressText(state));
        if (process.stderr.isTTY === true || performance.now() - told < HEARTBEAT_MS) return;
        told = performance.now();
        out.line(progressText(state));
        out.flush();
      },
    });
  } finally {
    progress.clear();
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

const HEARTBEAT_MS = 10_000;
/** What ends shrinking with what has been found so far. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function progressText({ runs, steps, stage }: ShrinkProgress): string {
  return `shrinking: ${counted(runs, 'run')}, ${counted(steps, 'step')} left, trying ${stage}`;
}
