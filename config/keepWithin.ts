import type { DeviceLimits } from '../env/deviceLimits.ts';
import { mostEntries, NEEDS } from './derivedChecks.ts';
import type { DraftValues } from './draftValues.ts';
import { withoutFailing } from './failingPcie.ts';
import { type ParameterName, type ParameterValues, QP_NUMBERS } from './table/parameterTable.ts';

/** Queue pairs of the first service that there is, where no other has any. */
const SOME_QPS = 2;
/** Default of ACK_TIMEOUT; that, and none at all, are not for a NIC that has a usual one of its own. */
const USUAL_ACK_TIMEOUT = 18;
const UNUSUAL: readonly number[] = [0, USUAL_ACK_TIMEOUT];

type IsGiven = (name: ParameterName) => boolean;

/**
 * Cuts what the user has not chosen to what the NIC can do: defaults and draws suit the largest NICs, and nobody is to be
 * blamed for what he did not type.
 */
export function keepWithin(draft: DraftValues, isGiven: IsGiven, limits: DeviceLimits): void {
  const had = hasQps(draft);
  for (const [name, capability, , none] of NEEDS)
    if (!isGiven(name) && !limits.capabilities[capability]) draft[name] = none;
  if (had && !hasQps(draft)) makeQps(draft, isGiven, limits);
  const { usualAckTimeout = USUAL_ACK_TIMEOUT } = limits;
  if (!isGiven('ACK_TIMEOUT') && UNUSUAL.includes(Number(draft.ACK_TIMEOUT)) && usualAckTimeout !== USUAL_ACK_TIMEOUT)
    draft.ACK_TIMEOUT = usualAckTimeout;
  if (limits.failedReads === false) {
    if (!isGiven('PCIE_ERROR_PCT')) draft.PCIE_ERROR_PCT = 0;
    if (!isGiven('PCIE_FAULT')) draft.PCIE_FAULT = withoutFailing(String(draft.PCIE_FAULT));
  }
  const most = {
    SG_NUM: mostEntries(draft as unknown as ParameterValues, limits),
    MAX_INLINE: limits.maxInline,
    MAX_SEND_WR: limits.maxQpWr ?? Number.POSITIVE_INFINITY,
    MAX_RECV_WR: limits.maxQpWr ?? Number.POSITIVE_INFINITY,
  };
  for (const [name, value] of Object.entries(most) as [keyof typeof most, number][]) {
    if (!isGiven(name) && Number(draft[name]) > value) draft[name] = value;
  }
}

function hasQps(draft: DraftValues): boolean {
  return QP_NUMBERS.some((name) => Number(draft[name]) > 0);
}

/** Some of the first service that the NIC has. */
function makeQps(draft: DraftValues, isGiven: IsGiven, { capabilities }: DeviceLimits): void {
  const open = NEEDS.filter(([name]) => (QP_NUMBERS as readonly ParameterName[]).includes(name) && !isGiven(name));
  const [name] = open.find(([, service]) => capabilities[service]) ?? [];
  if (name !== undefined) draft[name] = SOME_QPS;
}
