/** The stimulus that the entry of each bug names, as a test like others. */

import { withoutSeed } from '../cli/seed.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { bugStimulus } from '../nicEntry.ts';
import type { PlayableTest } from './bugMatrix.ts';

const OWN_STIMULUS = 'own stimulus';

/** @param seeds how many runs, with seeds from 1; where the entry names a seed, the first has that */
export function ownStimulus(nic: NicEntry, bug: FaultEntry, seeds: number): PlayableTest {
  const named = bugStimulus(nic, bug);
  const argv = withoutSeed(named);
  const runs = Array.from({ length: seeds }, (_, i) => ({
    id: `seed ${i + 1}`,
    argv: [...argv, '--seed', `${i + 1}`],
  }));
  if (argv.length < named.length) runs.splice(0, 1, { id: 'its own seed', argv: [...named] });
  return { name: OWN_STIMULUS, runs };
}
