/** Says of each parameter which random test draws it, for its page. */
import type { ParameterName } from '../table/parameterTable.ts';
import { CORNERS_DRAWN } from './drawCorners.ts';
import { FAULTS_DRAWN } from './drawFaults.ts';
import { KEYS_DRAWN } from './drawKeys.ts';
import { PCIE_FAULTS_DRAWN } from './drawPcieFaults.ts';
import { ALWAYS, SURROUNDINGS } from './drawSurroundings.ts';
import { wideParameters } from './drawWide.ts';
import { DRAWS } from './parameterDraws.ts';

/** Of one parameter: `random`, `verbs`, and with `(wide)` or `(faults)` what draws it in some of the runs only. */
export type DrawnBy = (name: ParameterName) => readonly string[];

/** @returns what draws a parameter: nothing of most */
export function drawnBy(): DrawnBy {
  const random = new Set(DRAWS.map(([name]) => name));
  const verbs = new Set([...ALWAYS, ...SURROUNDINGS].map(([name]) => name));
  const faults = new Set<ParameterName>([...FAULTS_DRAWN, ...PCIE_FAULTS_DRAWN]);
  const corners = new Set(CORNERS_DRAWN);
  const keys = new Set(KEYS_DRAWN);
  const wide = { random: wideParameters('scenario'), verbs: wideParameters('sequence') };
  return (name) => {
    const tests = [
      ...(random.has(name) ? ['random'] : wide.random.has(name) ? ['random (wide)'] : []),
      ...(verbs.has(name) ? ['verbs'] : wide.verbs.has(name) ? ['verbs (wide)'] : []),
    ];
    return [
      ...tests,
      ...(faults.has(name) ? ['(faults)'] : []),
      ...(corners.has(name) ? ['(corners)'] : []),
      ...(keys.has(name) ? ['(keys)'] : []),
    ];
  };
}
