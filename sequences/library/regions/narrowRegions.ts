import { ACCESS, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
const { localWrite, remoteWrite, remoteRead } = ACCESS;
/** Rights of a region, and whether a WRITE (else a READ) is tried. */
const CASES: readonly (readonly [access: number, write: boolean])[] = [
  [localWrite, true],
  [localWrite | remoteRead, true],
  [0, true],
  [localWrite, false],
  [localWrite | remoteWrite, false],
  [0, false],
];

/** WRITEs and READs of regions that have other rights than the one that is needed, one case on each connection. */
export class NarrowRegions extends UserSequence {
  static readonly typeName: string = 'narrow_regions';
  static readonly description: string =
    'requests to regions that have all rights but the one they need; +RC_QP_NUM=6 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *connection({ index, left, right }: Connection): Proc<void> {
    const [access, write] = CASES[index % CASES.length] as (typeof CASES)[number];
    const [own, there] = [yield* left.sink(BYTES), yield* right.sink(BYTES)];
    const { hi, lo } = there;
    const region = yield* right.api.regMr(right.qp.pd, { hi, lo, length: BYTES, access });
    const target = there.withKey(region.key);
    if (write) yield* left.write(own, target);
    else yield* left.read(own, target);
    const what = write ? 'WRITE without the right to write' : 'READ without the right to read';
    this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, what);
    yield* right.api.deregMr(region);
  }
}
