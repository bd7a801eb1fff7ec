/**
 * The test behind the steady-state figures: the normal environment, host API, monitors and scoreboard, with work that
 * goes on until the benchmark has seen enough. It is registered by the benchmarks only and knows no real time: at the
 * start of every batch it calls the observer, which does.
 */

import { raiseEngineLimits } from '../../bin/run/limits/engineLimits.ts';
import { ScenarioTest } from '../../tests/scenarioTest.ts';
import { SteadySource } from './steadySource.ts';
import type { SteadyWork } from './steadySpec.ts';

/** Counters at the start of a batch, when everything posted before has completed and has been judged. */
export interface SteadyCounts {
  readonly batch: number;
  /** Send-queue requests completed. */
  readonly requests: number;
  readonly receives: number;
  /** Judgements of the scoreboard: one for each completion it saw and for each message it compared. */
  readonly checks: number;
  /** DMA reads, DMA writes and BAR accesses, as the monitors of both hosts counted them. */
  readonly transactions: number;
  /** Events of the scheduler. */
  readonly events: number;
}

/** Looks at the counters between batches. @returns false when this batch shall be the last */
export type BatchObserver = (counts: SteadyCounts) => boolean;

/** A test class for one run of a process. */
export function steadyTest(work: SteadyWork, observe: BatchObserver): new (name: string, parent: never) => object {
  return class SteadyTest extends ScenarioTest {
    static readonly typeName: string = STEADY_TEST;

    protected override generate(key: number): SteadySource {
      // The arguments show one round of the work only: nothing in them says that the run is a long one.
      raiseEngineLimits();
      const source = new SteadySource(this.settings, key, work, (batch) => {
        if (!observe(this.#counts(batch))) source.endAfter(batch);
      });
      return source;
    }

    #counts(batch: number): SteadyCounts {
      const { requestsDone: requests, receivesDone: receives } = this.progress;
      let transactions = 0;
      for (const host of this.env.hostEnvs) {
        const { reads, writes, barReads, barWrites } = host.agent.monitor.statistics;
        transactions += reads + writes + barReads + barWrites;
      }
      const events = this.run.scheduler.executed;
      return { batch, requests, receives, checks: this.checks, transactions, events };
    }
  };
}

export const STEADY_TEST = 'bench_steady';
