import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Mr, Mw, MwType } from '../../../env/verbs/verbsObjects.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { bindable, bindWindow, invalidate } from '../../user/keys/keyRequests.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 64;
/** Windows, and as many regions: more than a small cache of the NIC holds. */
const ROUNDS = 12;
/** Its queue pair goes so long after the bind at most: reading two entries of a table takes less. */
const LONGEST_PAUSE = 4000;
const REST = 20 * US;

/**
 * Queue pairs that are reset, or go to ERR, in the middle of binds and invalidations: a window is bound then or is not, and its region
 * counts it accordingly. When the windows are gone each region must go (T-068). With a small cache, `+NIC_MPT_CACHE=8`, binds wait for
 * entries of the NIC's table.
 */
export class BoundMidway extends UserSequence {
  static readonly typeName: string = 'bound_midway';
  static readonly description: string = 'queue pairs that end during binds and invalidations';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['memoryWindows', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'midway');
    const windows: Mw[] = [];
    const regions: RegisteredBuffer[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      windows.push(yield* right.api.allocMw(right.qp.pd, (1 + (i % 2)) as MwType));
      regions.push(yield* bindable(right, yield* right.words(BYTES)));
    }
    for (let i = 0; i < ROUNDS; i++) {
      const [mw, region] = [windows[i] as Mw, regions[i] as RegisteredBuffer];
      const bound = yield* bindWindow(right, mw, region);
      if (mw.type === 2 && random.chance(0.3)) yield* invalidate(right, bound);
      yield* delay(random.range(0, LONGEST_PAUSE) * NS);
      if (random.chance(0.3)) yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
      yield* resetBoth(right, left);
      yield* delay(REST);
      yield* connectAgain(left, right, random);
    }
    for (const mw of windows) yield* right.api.deallocMw(mw);
    for (const { mr } of regions) yield* gone(right.api.deregMr(mr as Mr));
  }
}

/** A region that is kept is the scoreboard's to judge. */
function* gone(deregistration: Proc<void>): Proc<void> {
  try {
    yield* deregistration;
  } catch (error) {
    if (!(error instanceof HostApiError && error.kind === 'IN_USE')) throw error;
  }
}
