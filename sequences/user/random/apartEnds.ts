import type { ParameterValues } from '../../../config/table/parameterTable.ts';
import type { ConnectAttributes } from '../../../env/verbs/hostApi.ts';
import { QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import { drawnEnd, drawnMtu } from '../../host/endDraws.ts';

/** Share of the reliable connections with ends that differ whose path MTUs differ too. */
const RELIABLE_MTUS_APART = 0.3;

/** What the ends of a connection choose by themselves in each of its lives, in as many as `+UNEQUAL_PCT` says. */
export class ApartEnds {
  readonly #random: RandomStream;
  readonly #values: ParameterValues;

  constructor(random: RandomStream, values: ParameterValues) {
    this.#random = random;
    this.#values = values;
  }

  /** Attributes of the left and of the right end: none where both have the same. @param mostMtu code of the largest path MTU */
  next(type: QpType, mostMtu: number): readonly ConnectAttributes[] {
    const { UNEQUAL_PCT, ACK_TIMEOUT, MAX_RD_ATOMIC } = this.#values;
    if (type === QP_TYPE.ud || !this.#random.chance(UNEQUAL_PCT / 100)) return [];
    const common = { timeout: ACK_TIMEOUT, maxRdAtomic: MAX_RD_ATOMIC };
    // A reliable connection ends with the first message, or answer, that does not fit.
    const mtusApart = type === QP_TYPE.uc || this.#random.chance(RELIABLE_MTUS_APART);
    return [0, 1].map(() => ({
      ...drawnEnd(this.#random, common),
      maxDestRdAtomic: MAX_RD_ATOMIC,
      ...(mtusApart ? { mtu: drawnMtu(this.#random, mostMtu) } : {}),
    }));
  }
}
