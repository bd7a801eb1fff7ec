/** Plays one scenario of calls after the other in this process and says how each has failed. */

import { signatureText } from '../../regress/report/signatureText.ts';
import type { CallScenario, CallStep } from '../../config/scenario/calls/callScenario.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Registry } from '../registry.ts';
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
  /** Names of the queue pairs that the first error names. */
  readonly subjects: ReadonlySet<string>;
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
}

export class Trials {
  #options: TrialOptions;
  readonly #bytes = ByteStore.create();

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  /** From now on runs end at that simulated time at the latest, ps, and after that wall-clock time, ms. */
  limitTo(limitPs: number, limitMs: number): void {
    this.#options = { ...this.#options, limitPs, limitMs };
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
    return { result, signature: signatureOf(result), begun, leftOut, subjects: subjectsOf(result, names) };
  }

  /** Plays anything with what trials have: one byte store and a limit. */
  run(spec: RunSpec, calls: NonNullable<Parameters<typeof runOne>[2]['calls']>): RunResult {
    const end = performance.now() + this.#options.limitMs;
    const { limitPs = Number.POSITIVE_INFINITY } = this.#options;
    const heartbeat = ({ simulatedTimePs }: RunProgress): string | undefined =>
      performance.now() < end && simulatedTimePs < limitPs ? undefined : TOO_LONG;
    return runOne(spec, this.#options.registry, { sink: () => {}, heartbeat, calls }, this.#bytes);
  }
}

/** Queue pairs that the message of a failure names. */
function subjectsOf({ signature }: RunResult, names: ReadonlyMap<string, string>): Set<string> {
  const found = [...(signature?.message ?? '').matchAll(/host (\d+)(?: [A-Z]{2})? QP (\d+)/g)];
  return new Set(found.flatMap(([, host, qpn]) => names.get(`${host} ${qpn}`) ?? []));
}

const TOO_LONG = 'longer than shrinking waits for';

function specOf(calls: CallScenario, plusargs: readonly string[]): RunSpec {
  const scenarioFile = { path: '', sha256: '', scenario: null, calls, problems: [] };
  return { testName: calls.test, seed: calls.seed, plusargs: [FIRST_ERROR_ENDS, ...plusargs], scenarioFile };
}
