/** Bugs of what a queue pair itself permits its peer. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { Responder } from '../../model/transport/responder.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { RIGHTS_ROWS } from './rows/rightsRows.ts';

/** Lets some requests pass without a look at the rights of their queue pair. */
function overlooking(some: (p: RxPacket) => boolean): typeof Responder {
  return class extends Responder {
    protected override rightsAllow(c: number, p: RxPacket): boolean {
      return some(p) || super.rightsAllow(c, p);
    }
  };
}

export const RIGHTS_FAULTS = faultsOf(RIGHTS_ROWS, {
  qp_rights_ignored: planted({ responder: overlooking((p) => (p.opcode & 31) !== BTH_OP.readRequest) }),
  qp_rights_of_reads: planted({ responder: overlooking((p) => (p.opcode & 31) === BTH_OP.readRequest) }),
  qp_rights_of_nothing: planted({ responder: overlooking((p) => p.dmaLength === 0) }),
  qp_rights_on_uc: planted({ responder: overlooking((p) => p.opcode >>> 5 === 1) }),
});
