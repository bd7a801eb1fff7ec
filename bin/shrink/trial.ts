/** Plays one scenario of calls after the other in this process and says how each has failed. */

import { signatureText } from '../../regress/report/signatureText.ts';
import type { CallScenario, CallStep } from '../../config/scenario/calls/callScenario.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Registry } from '../registry.ts';
import { accusedBy } from '../run/failure/subject.ts';
import { runOne } from '../run/runOne.ts';
import type { RunProgress, RunResult, RunSpec } from '../run/runSpec.ts';

/** What came of playing a scenario. */
export interface TrialOutcome {
  readonly result: RunResult;
  /** See `signatureOf`. */
  readonly signature: string;
  /** Steps that were begun before the run ended, with the time, ps; and those of them that could not be made. */
  readonly begun: ReadonlyMap<CallStep, number>;
  readonly leftOut: ReadonlySet<CallStep>;
  /** Names of the queue pairs that the first error accuses. */
  readonly subjects: ReadonlySet<string>;
  /** The longest simulated time in which no request completed, ps. */
  readonly longestIdle: number;
}

/** What has failed: report id and text without what is different in each run, but not the component; '' for a run that has not failed. */
export function signatureOf({ verdict, signature }: Pick<RunResult, 'verdict' | 'signature'>): string {
  return verdict !== 'failed' || signature === null ? '' : `[${signature.id}] ${signatureText(signature.message)}`;
}

/** The first error ends a run: what comes behind it does not count. */
export const FIRST_ERROR_ENDS = '+UVM_MAX_QUIT_COUNT=1';

/** What is the same for all scenarios. */
export interface TrialOptions {
  readonly registry: Registry;
  /** Arguments that are not the scenario's: a planted bug, overrides. */
  readonly plusargs: readonly string[];
  /** Wall-clock time after which a run counts as another failure, ms. */
  readonly limitMs: number;
  /** Simulated time after which it does, ps. */
  readonly limitPs?: number;
  /** Simulated time without a completed request after which it does: it only waits, ps. */
  readonly idlePs?: number;
}

export class Trials {
  #options: TrialOptions;
  readonly #bytes = ByteStore.create();
  /** Of the latest run. */
  #longestIdle = 0;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  /** From now on runs end by these limits as well. */
  limitTo(limits: Pick<TrialOptions, 'limitPs' | 'limitMs' | 'idlePs'>): void {
    this.#options = { ...this.#options, ...limits };
  }

  play(scenario: CallScenario): TrialOutcome {
    const begun = new Map<CallStep, number>();
    const leftOut = new Set<CallStep>();
    const names = new Map<string, string>();
    const watch = {
      begun: (step: CallStep, time: number) => void begun.set(step, time),
      leftOut: (step: CallStep) => void leftOut.add(step),
      named: (name: string, host: number, qpn: number) => void names.set(`${host} ${qpn}`, name),
    };
    const result = this.run(specOf(scenario, this.#options.plusargs), { watch });
    const subjects = subjectsOf(result, names);
    return { result, signature: signatureOf(result), begun, leftOut, subjects, longestIdle: this.#longestIdle };
  }

  /** Plays anything with what trials have: one byte store and a limit. */
  run(spec: RunSpec, calls: NonNullable<Parameters<typeof runOne>[2]['calls']>): RunResult {
    const end = performance.now() + this.#options.limitMs;
    const { limitPs = Number.POSITIVE_INFINITY, idlePs = Number.POSITIVE_INFINITY } = this.#options;
    const idle = new IdleTime();
    const heartbeat = ({ simulatedTimePs, done }: RunProgress): string | undefined => {
      this.#longestIdle = idle.look(simulatedTimePs, done);
      if (idle.now > idlePs) return ONLY_WAITS;
      return performance.now() < end && simulatedTimePs < limitPs ? undefined : TOO_LONG;
    };
    return runOne(spec, this.#options.registry, { sink: () => {}, heartbeat, calls }, this.#bytes);
  }
}

/** Queue pairs that the first error accuses. */
function subjectsOf({ accuses }: RunResult, names: ReadonlyMap<string, string>): Set<string> {
  return new Set(accusedBy(accuses).pairs.flatMap(({ host, qpn }) => names.get(`${host} ${qpn}`) ?? []));
}

/** How long no request of a run has completed. */
class IdleTime {
  now = 0;
  #longest = 0;
  #done = 0;
  #since = 0;

  /** @returns the longest such time so far, ps */
  look(time: number, done: number): number {
    if (done !== this.#done) {
      this.#done = done;
      this.#since = time;
    }
    this.now = time - this.#since;
    this.#longest = Math.max(this.#longest, this.now);
    return this.#longest;
  }
}

const ONLY_WAITS = 'nothing but time has moved for longer than when the run failed';
const TOO_LONG = 'longer than shrinking waits for';

function specOf(calls: CallScenario, plusargs: readonly string[]): RunSpec {
  const scenarioFile = { path: '', sha256: '', scenario: null, calls, problems: [] };
  return { testName: calls.test, seed: calls.seed, plusargs: [FIRST_ERROR_ENDS, ...plusargs], scenarioFile };
}
