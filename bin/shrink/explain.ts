/** Which values of a shrunk scenario do not matter: it fails in the same way with others in their place. */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { stepsOf } from '../../config/scenario/calls/callEdits.ts';
import type { StepComments } from '../../config/scenario/calls/callText.ts';
import { lowered, type ValuePath, valueAt, valuesOf } from './lowering.ts';

/** Values that are asked about: what a request carries, and where. */
const ASKED: ReadonlySet<string> = new Set([
  'length',
  'at',
  'imm',
  'psn',
  'peerPsn',
  'entries',
  'maxSendWr',
  'maxRecvWr',
  'maxSge',
]);

/**
 * @param fails whether a scenario fails in the same way
 * @returns names of what does not matter, by the number of the step
 */
export async function explain(
  scenario: CallScenario,
  fails: (candidate: CallScenario) => Promise<boolean>,
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for (const place of valuesOf(scenario)) {
    const value = valueAt(scenario, place);
    if (typeof value !== 'number' || !ASKED.has(nameOf(place.path))) continue;
    let matters = false;
    for (const other of [2 * value + 1, value + 64]) matters ||= !(await fails(lowered(scenario, place, other)));
    if (matters) continue;
    const texts = found.get(place.step) ?? [];
    texts.push(pathText(place.path));
    found.set(place.step, texts);
  }
  return found;
}

/** As comments behind the steps. */
export function explanations(scenario: CallScenario, found: ReadonlyMap<number, readonly string[]>): StepComments {
  const numbers = new Map(stepsOf(scenario).map((step, index) => [step, index]));
  return (stage, thread, step) => {
    const index = numbers.get(scenario.stages[stage]?.threads[thread]?.steps[step] as never) ?? -1;
    const names = found.get(index);
    return names === undefined ? undefined : `any other value does as well: ${names.join(', ')}`;
  };
}

function nameOf(path: ValuePath): string {
  return path.findLast((key) => typeof key === 'string') as string;
}

/** `requests[0].sges[1].length`. */
function pathText(path: ValuePath): string {
  return path
    .slice(1)
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`))
    .join('');
}
