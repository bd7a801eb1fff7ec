/** A shrunk scenario as a sequence beside it, where that fails in the same way: it is played before it is shown. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { testProgram } from '../calledAs.ts';
import { Registries } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { runOne } from '../run/runOne.ts';
import { callLine } from '../run/replay/replayLine.ts';
import { sequenceSource } from './sequenceText.ts';
import { FIRST_ERROR_ENDS } from './trial.ts';

/** Folder of the sequence beside the record, for `+TEST_PATH`. */
const FOLDER = 'shrunk';
/** Wall-clock time after which the run is none that fails in the same way (ms). */
const LIMIT_MS = 60_000;

/** What is shrunk, and what it must fail with. */
export interface ShrunkFailure {
  readonly scenario: CallScenario;
  /** Report id of its first error. */
  readonly id: string;
  /** Arguments that are not the scenario's: a planted bug, overrides. */
  readonly plusargs: readonly string[];
  readonly head: readonly string[];
}

/** @param folder of the record @returns lines that name the sequence, and the one that plays it; none where there is none */
export async function writeShrunkSequence(
  { scenario, id, plusargs, head }: ShrunkFailure,
  folder: string,
  registry: Registry,
): Promise<string[]> {
  const source = sequenceSource(scenario, head);
  if (source === undefined) return [];
  const path = join(folder, FOLDER);
  const file = join(path, 'shrunk.ts');
  mkdirSync(path, { recursive: true });
  writeAtomically(file, source.text);
  const own = [...plusargs, ...source.plusargs, `+TEST_PATH=${path}`];
  const open = await new Registries(registry, () => {}).open(path, process.cwd());
  const end = performance.now() + LIMIT_MS;
  const result =
    open.problems.length > 0
      ? undefined
      : runOne(
          { testName: 'test_sequence', seed: scenario.seed, plusargs: [FIRST_ERROR_ENDS, ...own] },
          open.registry,
          { sink: () => {}, heartbeat: () => (performance.now() < end ? undefined : 'no end in time') },
        );
  if (result?.signature?.id === id)
    return [
      `as a sequence: ${file}`,
      `play it: ${callLine({ program: testProgram() }, [...own, '--seed', String(scenario.seed)])}`,
    ];
  rmSync(path, { recursive: true, force: true });
  return [];
}
