/** Plays candidates of one shrinking in a worker process. The arguments of a job are a `TrialSetup` and a scenario, as JSON. */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { parseJson } from '../../files/json.ts';
import { stepsOf } from '../../config/scenario/calls/callEdits.ts';
import { type Job, NOTHING_PLAYED } from '../../regress/job.ts';
import type { Measured, PlayedJob, Player, PlayerSettings } from '../../regress/pool/player.ts';
import { Registries } from '../registries.ts';
import { loadRegistry } from '../registry.ts';
import { permitting, type Reference, type ReferenceRule } from './reference.ts';
import { type TrialOptions, Trials } from './trial.ts';

/** What is the same for all candidates. */
export interface TrialSetup extends Omit<TrialOptions, 'registry'> {
  readonly reference: ReferenceRule;
  /** Wall-clock limit of the reference, ms. */
  readonly referenceLimitMs: number;
  /** The failure that is looked for. */
  readonly signature: string;
  /** Folder of tests of the user; absent for none. */
  readonly testPath?: string | undefined;
}

/** What a worker has found of a candidate; steps by their numbers. */
export interface TrialFinding {
  readonly signature: string;
  readonly begun: readonly (readonly [step: number, time: number])[];
  readonly leftOut: readonly number[];
  readonly isLegal: boolean;
}

/** Called by the worker process. */
export async function createPlayer({ testFolders }: PlayerSettings): Promise<Player> {
  const registries = new Registries(await loadRegistry(), () => {}, testFolders);
  let setupText = '';
  let setup: TrialSetup;
  let trials: Trials;
  let permits: Reference['permits'];
  return {
    async play({ argv: [text = '', candidate = ''] }: Job): Promise<PlayedJob & Measured> {
      if (text !== setupText) {
        setup = parseJson(text) as TrialSetup;
        const { registry } = await registries.open(setup.testPath, process.cwd());
        trials = new Trials({ ...setup, registry });
        const { plusargs, referenceLimitMs: limitMs } = setup;
        permits = permitting(setup.reference, { registry, plusargs, limitMs });
        setupText = text;
      }
      const scenario = parseJson(candidate) as CallScenario;
      const outcome = trials.play(scenario);
      const { signature, begun, leftOut } = outcome;
      const numbers = new Map(stepsOf(scenario).map((step, i) => [step, i]));
      const finding: TrialFinding = {
        signature,
        begun: [...begun].flatMap(([step, time]) => pairOf(numbers.get(step), time)),
        leftOut: [...leftOut].flatMap((step) => numbers.get(step) ?? []),
        isLegal: signature !== setup.signature || permits(scenario, outcome),
      };
      return { ...NOTHING_PLAYED, test: '', seed: 0, replay: '', status: 'passed', finding };
    },
  };
}

function pairOf(step: number | undefined, time: number): (readonly [number, number])[] {
  return step === undefined ? [] : [[step, time]];
}
