/** Where data are to lie, for NICs that have no memory on the card. */
import type { DeviceLimits } from '../env/deviceLimits.ts';
import type { ParameterValues } from './table/parameterTable.ts';

/** @param isTyped a scenario that was written for another NIC is played in host memory; what was typed is not ignored */
export function memoryDomainProblems(
  { MEM_DOMAIN }: ParameterValues,
  isTyped: boolean,
  { capabilities }: DeviceLimits,
): string[] {
  if (!isTyped || MEM_DOMAIN === 'host' || capabilities.cardMemory) return [];
  return [
    `+MEM_DOMAIN=${MEM_DOMAIN}: this NIC has no memory on the card; leave it out, or take a NIC that has: +DUT=card`,
  ];
}
