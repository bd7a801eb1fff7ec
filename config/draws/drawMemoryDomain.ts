/** Draws where the data of random runs lie, for NICs with memory on the card. */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { DraftValues } from '../draftValues.ts';
import type { ParameterName } from '../table/parameterTable.ts';

const NAME = 'MEM_DOMAIN' satisfies ParameterName;
const DOMAINS = ['mixed', 'mixed', 'card', 'host'] as const;

/** Draws into `draft` where data lie, unless that is given; returns what was drawn. @param limits of the NIC */
export function drawMemoryDomain(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
  limits: DeviceLimits,
): ParameterName[] {
  if (isGiven(NAME) || !limits.capabilities.cardMemory) return [];
  draft[NAME] = new RandomStreams(seed, testName).stream('parameters', NAME).pick(DOMAINS);
  return [NAME];
}
