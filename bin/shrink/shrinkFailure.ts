/**
 * From a run that fails to the smallest scenario that fails in the same way:
 *
 *   play twice (does it repeat itself?) ─ record its calls ─ play these ─ shrink ─ explain what is left
 */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { stepsOf } from '../../config/scenario/calls/callEdits.ts';
import { isSurrounding, worksWithScenario } from '../../config/scenario/file/surroundings.ts';
import { NIC_KNOB_PREFIX, PARAMETERS, type Parameter } from '../../config/table/parameterTable.ts';
import type { Registry } from '../registry.ts';
import type { RunResult, RunSpec } from '../run/runSpec.ts';
import { explain } from './explain.ts';
import { addressedPcieRules, addressedRules, withPcieRules } from './faultAddresses.ts';
import { referenceFor, type Start } from './reference.ts';
import { type ShrinkBudget, Shrinker, type ShrinkProgress, type Shrunk } from './shrinker.ts';
import { spareParts } from './spareParts.ts';
import { requestsOf } from './spans.ts';
import { withShortStall } from './stallTime.ts';
import { TrialWorkers, type TrialWorkersStart } from './trialWorkers.ts';
import { FIRST_ERROR_ENDS, signatureOf, Trials, type TrialOutcome } from './trial.ts';

/** What is to be shrunk, and how long. */
export interface ShrinkTask {
  readonly spec: RunSpec;
  readonly registry: Registry;
  readonly budget: ShrinkBudget;
  /** Processes that play candidates, several at once; default: all are played in this process. */
  readonly workers?: TrialWorkersStart;
  /** Folder of tests of the user, for these. */
  readonly testPath?: string | undefined;
  readonly stop?: () => Promise<string | undefined>;
  readonly progress?: (state: ShrinkProgress) => void;
  /** Looks at the end whether any part can be spared, in runs that count nowhere; default false. */
  readonly proof?: boolean;
}

/** How much there is of a scenario. */
export interface ScenarioSize {
  readonly calls: number;
  readonly requests: number;
}

/** What has come of it. */
export interface ShrinkResult extends Shrunk {
  readonly signature: string;
  /** The failure that was recorded, where the calls alone fail in another way; '' otherwise. */
  readonly instead: string;
  /** What is shrunk is an error of the run. */
  readonly isKnown: boolean;
  readonly result: RunResult;
  readonly before: ScenarioSize;
  readonly after: ScenarioSize;
  /** Names of values that do not matter, by the number of the step. */
  readonly free: ReadonlyMap<number, readonly string[]>;
  /** What says that the smaller cases are legal. */
  readonly reference: string;
  /** Kinds of parts that can be spared all the same; none without `proof`, and where shrinking has ended early. */
  readonly spare: readonly string[];
}

/** A run cannot be shrunk. */
export class ShrinkError extends Error {}

/** Wall-clock time of a run that is tried, as a multiple of that of the run that has failed, and at least (ms). */
const PATIENCE = 5;
const LEAST_PATIENCE_MS = 10_000;
const LIMIT_MS = 600_000;
/** A run that takes less is played in this process before another one has begun (ms). */
const LEAST_PLAY_MS = 100;
/** Simulated time by which a run that is tried has failed, if it fails in the same way, ps. */
const LATER = 1.25;
const MUCH_LATER = 1e9;
/** The same of the time in which nothing gets on. */
const MUCH_LONGER = 4;

/** @throws ShrinkError when the run passes, does not repeat itself, or its calls alone do not fail */
export async function shrinkFailure(task: ShrinkTask): Promise<ShrinkResult> {
  const { spec, registry, budget } = task;
  const trials = new Trials({ registry, plusargs: ownPlusargs(spec.plusargs), limitMs: LIMIT_MS });
  const { scenario, result } = recorded(trials, spec);
  const began = performance.now();
  const { instead, isKnown, ...whole } = reproduced(trials, scenario, result, spec);
  const playMs = performance.now() - began;
  const limitMs = Math.max(LEAST_PATIENCE_MS, PATIENCE * playMs);
  const plusargs = ownPlusargs(spec.plusargs);
  const reference = referenceFor(whole, { registry, plusargs, limitMs });
  // An error that the run does not have is one of the NIC only if another NIC is without.
  if (!isKnown && reference.rule.ask === 'scenario')
    throw new ShrinkError(
      `the calls of the run alone fail in another way, ${whole.outcome.signature}, and no healthy NIC passes them: the failure ${instead} ${NEEDS_MORE}`,
    );
  const play = (candidate: CallScenario): TrialOutcome => trials.play(candidate);
  const { scenario: start, outcome } = withShortStall(whole, play, (candidate, found) =>
    reference.permits(candidate, found),
  );
  const limits = {
    limitPs: outcome.result.simulatedTimePs * LATER + MUCH_LATER,
    limitMs,
    idlePs: outcome.longestIdle * MUCH_LONGER + MUCH_LATER,
  };
  trials.limitTo(limits);
  const { signature } = outcome;
  const setup = { plusargs, ...limits, reference: reference.rule, referenceLimitMs: limitMs, signature };
  const isWorth = task.workers !== undefined && playMs >= LEAST_PLAY_MS;
  const elsewhere = isWorth ? new TrialWorkers(task.workers, { ...setup, testPath: task.testPath }) : undefined;
  const shrinker = new Shrinker(start, {
    play,
    isLegal: (candidate, found) => reference.permits(candidate, found),
    elsewhere,
    signature,
    budget,
    stop: task.stop,
    progress: task.progress,
  });
  const shrunk = await shrinker.shrink().finally(() => elsewhere?.close());
  const isSame = (found: TrialOutcome, candidate: CallScenario): boolean =>
    found.signature === signature && reference.permits(candidate, found);
  const fails = (candidate: CallScenario): Promise<boolean> =>
    Promise.resolve(isSame(trials.play(candidate), candidate));
  const isComplete = shrunk.ended === '';
  const free = isComplete ? await explain(shrunk.scenario, fails) : new Map<number, string[]>();
  const spare = isComplete && task.proof === true ? await spareParts(shrunk.scenario, fails) : [];
  const size = { before: sizeOf(scenario), after: sizeOf(shrunk.scenario) };
  return { ...shrunk, ...size, signature, instead, isKnown, result, free, spare, reference: reference.text };
}

/** Calls and requests of a scenario, apart from waits. */
function sizeOf(scenario: CallScenario): ScenarioSize {
  const steps = stepsOf(scenario);
  const calls = steps.filter((step) => 'call' in step).length;
  return { calls, requests: steps.reduce((sum, step) => sum + requestsOf(step).length, 0) };
}

/** The calls of a run that fails, and fails in the same way once more. */
function recorded(trials: Trials, spec: RunSpec): { scenario: CallScenario; result: RunResult } {
  let scenario: CallScenario | undefined;
  const ending = { ...spec, plusargs: [FIRST_ERROR_ENDS, ...withoutOutputs(spec.plusargs)], listFrames: true };
  const result = trials.run(ending, {
    recorded: (calls) => {
      scenario = calls;
    },
  });
  const signature = signatureOf(result);
  if (signature === '' || scenario === undefined)
    throw new ShrinkError(
      `the run does not fail: it ${result.verdict === 'passed' ? 'passes' : `ends with ${result.message}`}`,
    );
  const again = trials.run(ending, {});
  if (signatureOf(again) !== signature || again.transcript.hash !== result.transcript.hash)
    throw new ShrinkError(
      `the run does not repeat itself: first it said ${result.message}, then ${again.message || 'nothing'}`,
    );
  return { scenario, result };
}

/** Calls that fail. */
interface Reproduced extends Start {
  /** The failure of the run, where the calls fail in another way; '' where they fail as the run has. */
  readonly instead: string;
  /** The run itself has such an error as well. */
  readonly isKnown: boolean;
}

/** The calls, with or without what was left to chance on the link, as they fail alone. */
function reproduced(trials: Trials, scenario: CallScenario, result: RunResult, spec: RunSpec): Reproduced {
  const signature = signatureOf(result);
  const forms = [...fixedFaults(scenario, result), scenario];
  let other: { scenario: CallScenario; outcome: TrialOutcome } | undefined;
  for (const form of forms) {
    const outcome = trials.play(form);
    if (outcome.signature === signature) return { scenario: form, outcome, instead: '', isKnown: true };
    if (outcome.signature !== '') other ??= { scenario: form, outcome };
  }
  if (other === undefined)
    throw new ShrinkError(`the calls of the run alone pass: the failure ${signature} ${NEEDS_MORE}`);
  const all = trials.run({ ...spec, plusargs: withoutOutputs(spec.plusargs) }, {});
  const isKnown = all.errorIds?.includes(other.outcome.result.signature?.id ?? '') === true;
  return { ...other, instead: signature, isKnown };
}

const NEEDS_MORE = 'needs what its sequence or test does besides';

/** Rules that draw, as what they did in this run. */
function fixedFaults(scenario: CallScenario, { faults, pcieFaults }: RunResult): CallScenario[] {
  const [rules, pcie] = [faults?.rules ?? [], pcieFaults ?? []];
  if (rules.length === 0 && pcie.length === 0) return [];
  const kept = Object.entries(scenario.parameters).filter(([name]) => !/_PCT$|^LOSS_BURST$/.test(name));
  const plain = { ...scenario, parameters: Object.fromEntries(kept) };
  const ofLink = [addressedRules(rules), rules.flatMap(({ schedule, text }) => schedule ?? [text])];
  const ofPcie = [addressedPcieRules(pcie), pcie.flatMap(({ schedule, text }) => schedule ?? [text])];
  return ofLink.map((fixed, i) => withPcieRules({ ...plain, faults: fixed }, ofPcie[i] ?? []));
}

const OUTPUTS = /^\+(?:PCAP|TRACE|DUMP_SCENARIO|COV|UVM_MAX_QUIT_COUNT)(?:=|$)/;

function withoutOutputs(plusargs: readonly string[]): string[] {
  return plusargs.filter((arg) => !OUTPUTS.test(arg));
}

/** What a scenario does not bring itself: a planted bug, overrides, what is for any run. */
export function ownPlusargs(plusargs: readonly string[]): string[] {
  const rows: readonly Parameter[] = PARAMETERS;
  return withoutOutputs(plusargs).filter((arg) => {
    const name = arg.slice(1).split('=')[0] as string;
    if (name.startsWith(NIC_KNOB_PREFIX) || name === 'UVM_TESTNAME' || name === 'SCENARIO' || name === 'TEST_PATH')
      return false;
    const row = rows.find((each) => each.name === name || each.aliases?.includes(name));
    return row === undefined || (!isSurrounding(row) && worksWithScenario(row));
  });
}
