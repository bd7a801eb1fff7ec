import type { ConnectAttributes } from '../../env/verbs/hostApi.ts';
import { MTU_BYTES } from '../../rdma/verbs.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';

const MOST_TIMEOUT = 31;
/** Of a traffic class: what routers mark. */
const ECN_BITS = 3;
/** Codes of RNR waits: 10 us to 0.64 ms. */
const RNR_TIMERS = [1, 12] as const;

/**
 * What one end of a connection chooses without asking the other, `+UNEQUAL_PCT`: time-out, retries, RNR wait, how many READs it has
 * outstanding, and its path. Time-outs are no shorter than those of the run, and limits no larger: what both have was chosen to
 * go together.
 * @param common of all ends of the run
 */
export function drawnEnd(random: RandomStream, common: ConnectAttributes): ConnectAttributes {
  const { timeout = 0, maxRdAtomic = 1, trafficClass = 0 } = common;
  return {
    timeout: timeout === 0 ? 0 : Math.min(MOST_TIMEOUT, timeout + random.range(0, 2)),
    retryCnt: random.chance(0.5) ? 7 : random.range(0, 7),
    rnrRetry: random.chance(0.5) ? 7 : random.range(0, 7),
    minRnrTimer: random.range(...RNR_TIMERS),
    maxRdAtomic: random.range(1, maxRdAtomic),
    trafficClass: (random.range(0, 255) & ~ECN_BITS) | (trafficClass & ECN_BITS),
    flowLabel: random.range(0, 0xf_ffff),
    hopLimit: random.range(1, 255),
  };
}

/** Attributes of the end of a queue pair of a host, in place of those that all have. */
export type EndsOf = (host: number, qp: number, common: ConnectAttributes) => ConnectAttributes;

/** A path MTU up to the code `most`, bytes: where the other end has a smaller one, what does not fit is refused rightly. */
export function drawnMtu(random: RandomStream, most: number): number {
  return MTU_BYTES[random.range(1, most)] as number;
}
