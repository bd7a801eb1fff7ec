/**
 * Draws what `test_random_verbs` runs in: few queue pairs on some hosts, and buses, links, time-outs and queues far from
 * their defaults, so that what NICs and monitors do at once, late or not at all shows. A run draws some of it, most of
 * it or little: what is wrong with one setting must not hide behind another.
 *
 * Each parameter has a stream of its own: giving one leaves the draws of the others as they are. What would make the run
 * an illegal one keeps its default, so that nobody is blamed for what he did not type.
 */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import { isLegal } from '../derivedChecks.ts';
import type { DraftValues } from '../draftValues.ts';
import { CONSTRAINED } from '../leastDemand.ts';
import { QP_NUMBERS, type ParameterName, type ParameterValues } from '../table/parameterTable.ts';

export type Choices = readonly (readonly [ParameterName, readonly (number | string | boolean)[]])[];

/** Drawn in every run. */
export const ALWAYS: Choices = [
  ['HOST_NUM', [2, 2, 2, 3, 4, 5]],
  ['PROC_NUM', [1, 2, 3]],
  ['RC_QP_NUM', [0, 1, 2, 3, 4]],
  ['UC_QP_NUM', [0, 1, 2, 3, 4]],
  ['UD_QP_NUM', [0, 1, 2, 3]],
  ['SEQ_COUNT', [1, 2, 4]],
];

/** What may leave its default. */
export const SURROUNDINGS: Choices = [
  ['MAX_INLINE', [0, 60, 188]],
  ['SHARED_CQ', [0, 1, 2]],
  ['SPLIT_CQ', [false, true]],
  ['SG_NUM', [1, 3, 6, 15]],
  ['MTU', [256, 512, 1024, 4096]],
  ['PSN', ['random', 'wrap']],
  ['IPV6', [false, true]],
  ['ACK_TIMEOUT', [18, 5, 3, 1]],
  ['RETRY_CNT', [7, 1, 0]],
  ['RNR_RETRY', [7, 2, 0]],
  ['MIN_RNR_TIMER', [1, 0, 14]],
  ['MAX_RD_ATOMIC', [16, 2, 1]],
  ['PAGE_SCATTER', [false, true]],
  ['PCIE_MPS', [4096, 512, 128]],
  ['PCIE_MRRS', [4096, 512, 128]],
  ['PCIE_RCB', [64, 128]],
  ['PCIE_CPL_SPLIT', [0, 60, 100]],
  ['PCIE_CPL_REORDER', [0, 60, 100]],
  ['PCIE_TAGS', [256, 32, 4, 1]],
  ['PCIE_GBPS', [128, 10, 2]],
  ['PCIE_UP_NS', [200, 0, 3000]],
  ['PCIE_DOWN_NS', [200, 0, 5000]],
  ['PCIE_MEMORY_NS', [0, 5000]],
  ['LINK_GBPS', [100, 400, 10, 2, 1]],
  ['LINK_LATENCY_NS', [500, 0, 20_000, 100_000]],
  ['MAX_SEND_WR', [4, 32, 64]],
  ['MAX_RECV_WR', [3, 31, 63]],
];

const SHARES = [0.15, 0.3, 0.6] as const;
/** Queue pairs of the first service that is not given, where no other has any. */
const SOME_QPS = 2;

type IsGiven = (name: ParameterName) => boolean;

/**
 * Draws into `draft` some of the parameters above that `isGiven` does not name; returns what was drawn.
 * @param limits of the NIC
 */
export function drawSurroundings(
  draft: DraftValues,
  isGiven: IsGiven,
  seed: number,
  testName: string,
  limits: DeviceLimits,
): ParameterName[] {
  const streams = new RandomStreams(seed, testName);
  const share = streams.stream('parameters', 'SURROUNDINGS').pick(SHARES);
  const drawn: ParameterName[] = [];
  const draw = (choices: Choices, chance: number): void => {
    for (const [name, values] of choices) {
      const stream = streams.stream('parameters', name);
      if (isGiven(name) || !stream.chance(chance)) continue;
      const value = stream.pick(values);
      if (CONSTRAINED.has(name) && !isPossible({ ...draft, [name]: value }, isGiven, limits)) continue;
      draft[name] = value;
      drawn.push(name);
    }
  };
  draw(ALWAYS, 1);
  draw(SURROUNDINGS, share);
  Object.assign(draft, withQps(draft, isGiven));
  return drawn;
}

function isPossible(draft: DraftValues, isGiven: IsGiven, limits: DeviceLimits): boolean {
  return isLegal(withQps(draft, isGiven) as unknown as ParameterValues, false, limits);
}

/** There must be some queue pair. */
function withQps(draft: DraftValues, isGiven: IsGiven): DraftValues {
  const open = QP_NUMBERS.find((name) => !isGiven(name));
  const none = QP_NUMBERS.every((name) => draft[name] === 0);
  return none && open !== undefined ? { ...draft, [open]: SOME_QPS } : draft;
}
