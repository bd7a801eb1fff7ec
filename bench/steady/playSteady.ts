/** Plays a steady run in this process. */

import { checkSpec } from '../../bin/run/checkSpec.ts';
import { loadRegistry, type Registry } from '../../bin/registry.ts';
import { runOne } from '../../bin/run/runOne.ts';
import type { RunResult } from '../../bin/run/runSpec.ts';
import { ByteStore, PAGE_BYTES } from '../../uvm/bytes/byteStore.ts';
import type { SteadySpec } from './steadySpec.ts';
import { type BatchObserver, STEADY_TEST, steadyTest } from './steadyTest.ts';

/** The result of the run, and what of its memory is in pages of host memory. */
export interface SteadyResult {
  readonly run: RunResult;
  readonly pageBytes: number;
}

/** @throws Error when the arguments of the spec are wrong */
export async function playSteady(spec: SteadySpec, observe: BatchObserver): Promise<SteadyResult> {
  const registry = withSteadyTest(await loadRegistry(), spec, observe);
  const asked = { testName: STEADY_TEST, seed: spec.seed, plusargs: spec.plusargs };
  const problems = checkSpec(asked, registry);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const bytes = ByteStore.create();
  const run = runOne(asked, registry, { sink() {} }, bytes);
  return { run, pageBytes: bytes.pagesInUse * PAGE_BYTES };
}

/** The registry of the product is left as it is: the test exists for this run only. */
function withSteadyTest(registry: Registry, spec: SteadySpec, observe: BatchObserver): Registry {
  const factory = registry.factory.clone();
  factory.register(STEADY_TEST, steadyTest(spec.work, observe));
  const named = { name: STEADY_TEST, description: '', file: 'bench/steady/steadyTest.ts' };
  return { ...registry, factory, tests: [...registry.tests, named] };
}
