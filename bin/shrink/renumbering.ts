/** Scenarios with fewer hosts or processes, where numbers in between are not used. */

import { parseJson } from '../../files/json.ts';
import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { pruned } from '../../config/scenario/calls/callEdits.ts';

/** What may take the place of a scenario. */
export function renumbered(scenario: CallScenario): CallScenario[] {
  return [...withoutIdleHost(scenario), ...withOneProcess(scenario)];
}

function withoutIdleHost(scenario: CallScenario): CallScenario[] {
  const { hosts } = scenario;
  const text = JSON.stringify(scenario.stages);
  const used = Array.from(
    { length: hosts },
    (_, host) => text.includes(`"host${host}.`) || text.includes(`"host${host}"`),
  );
  const idle = used.indexOf(false);
  const last = hosts - 1;
  if (hosts <= 2 || idle < 0 || idle === last) return [];
  // The last one takes the number that is free.
  const moved = text
    .replaceAll(new RegExp(`"host${last}(?=[."])`, 'g'), `"host${idle}`)
    .replaceAll(`"host":${last}`, `"host":${idle}`)
    .replaceAll(`"remoteHost":${last}`, `"remoteHost":${idle}`);
  return [pruned({ ...scenario, hosts: last, laziness: {}, stages: parseJson(moved) as CallScenario['stages'] })];
}

function withOneProcess(scenario: CallScenario): CallScenario[] {
  if (scenario.processes === 1) return [];
  const text = JSON.stringify(scenario.stages).replaceAll(/"process":\d+/g, '"process":1');
  return [{ ...scenario, processes: 1, stages: parseJson(text) as CallScenario['stages'] }];
}
