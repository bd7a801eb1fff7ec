/** First numbers of what host software makes, held against the NIC. */
import type { DeviceLimits } from '../env/deviceLimits.ts';
import type { FirstNumbers } from '../env/settings/firstNumbers.ts';
import type { ParameterName, ParameterValues } from './table/parameterTable.ts';

const PARAMETER_OF = {
  FIRST_QPN: 'qpn',
  FIRST_CQN: 'cqn',
  FIRST_KEY: 'key',
  FIRST_MTT: 'mtt',
  FIRST_CQ_INDEX: 'cqIndex',
} as const satisfies Partial<Record<ParameterName, keyof FirstNumbers>>;
type Numbering = keyof typeof PARAMETER_OF;

/** Parameters that say with which number something begins. */
const FIRST_NUMBERS = Object.keys(PARAMETER_OF) as readonly Numbering[];

/** Whether the NIC's software can begin with these numbers. */
export function numbersFit(v: ParameterValues, limits: DeviceLimits): boolean {
  return FIRST_NUMBERS.every((name) => v[name] <= lastOf(name, limits));
}

/** What is wrong with them. @param shown writes parameters with their values */
export function checkNumbers(
  v: ParameterValues,
  shown: (name: ParameterName) => string,
  limits: DeviceLimits,
): string[] {
  return FIRST_NUMBERS.filter((name) => v[name] > lastOf(name, limits)).map((name) => {
    const last = lastOf(name, limits);
    return last === 0
      ? `${shown(name)}: the software of the NIC numbers what it makes by itself; try +${name}=0`
      : `${shown(name)} is more than the NIC has: allowed 0..${last}; try +${name}=${last}`;
  });
}

function lastOf(name: Numbering, { lastFirstNumbers }: DeviceLimits): number {
  return lastFirstNumbers?.[PARAMETER_OF[name]] ?? 0;
}
