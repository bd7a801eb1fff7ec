/** Bugs with copies of packets that come when their keys have been invalidated. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { MPT_KIND, MPT_PERMISSION } from '../../layout/contexts.ts';
import { KeyWork } from '../../model/memory/keyWork.ts';
import { MemoryKeys } from '../../model/memory/memoryKeys.ts';
import { MPT_DW } from '../../model/memory/region.ts';
import { qpPd } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { Repeating } from '../link/duplicateFaults.ts';
import { LATE_COPY_ROWS } from './rows/lateCopyRows.ts';

/** Writes again what comes again, if its key opens something. */
class WrittenAgain extends Repeating {
  protected override repeats({ opcode }: RxPacket): boolean {
    return opcode === BTH_OP.writeOnly;
  }
}

/** Invalidates again, and answers as ever. */
class InvalidatedAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    super.duplicate(slot, c, p, expected);
    if ((p.bits & OP.ieth) === 0) return;
    const asker = { pd: qpPd(this.core.bytes.i32, c), qpn: slot.qpn };
    this.core.keys.invalidateFromAfar(new KeyWork({ resume: () => undefined }), p.imm | 0, asker);
  }
}

/** What is invalidated stays open to READs. */
class OpenToReads extends MemoryKeys {
  protected override close(w: Int32Array, e: number): void {
    const flags = w[e + MPT_DW.flags] as number;
    super.close(w, e);
    if ((flags & MPT_KIND.region) !== 0) return;
    const kept = flags & ~(MPT_PERMISSION.remoteWrite | MPT_PERMISSION.remoteAtomic | MPT_KIND.free);
    w[e + MPT_DW.flags] = kept;
  }
}

export const LATE_COPY_FAULTS = faultsOf(LATE_COPY_ROWS, {
  late_write_executed: planted({ responder: WrittenAgain }),
  late_invalidation_repeated: planted({ responder: InvalidatedAgain }),
  late_read_answered: planted({ keys: OpenToReads }),
});
