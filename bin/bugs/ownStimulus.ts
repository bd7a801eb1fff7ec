/** The stimulus that the entry of each bug names, as a test like others. */

import { bugStimulus, type FaultEntry, type NicEntry } from '../nicEntry.ts';
import type { PlayableTest } from './bugMatrix.ts';

const OWN_STIMULUS = 'own stimulus';

/** @param seeds how many runs, with seeds from 1 */
export function ownStimulus(nic: NicEntry, bug: FaultEntry, seeds: number): PlayableTest {
  const argv = bugStimulus(nic, bug);
  const runs = Array.from({ length: seeds }, (_, i) => ({
    id: `seed ${i + 1}`,
    argv: [...argv, '--seed', `${i + 1}`],
  }));
  return { name: OWN_STIMULUS, runs };
}
