/** Asks a shrunk scenario whether it is 1-minimal: it fails otherwise, or not at all, without any one of its parts. */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { SPANS } from './spans.ts';

/**
 * Takes out each part of each kind by itself (a queue pair with its calls, a call, a request, an entry, a rule, ...).
 * @param fails whether a scenario fails in the same way
 * @returns kinds of the parts that can be spared, each once; none for a scenario that is 1-minimal
 */
export async function spareParts(
  scenario: CallScenario,
  fails: (candidate: CallScenario) => Promise<boolean>,
): Promise<string[]> {
  const spare = new Set<string>();
  for (const kind of SPANS)
    for (const part of kind.parts(scenario))
      if (await fails(kind.without(scenario, new Set([part])))) spare.add(kind.name);
  return [...spare];
}
