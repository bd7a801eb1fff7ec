/** Bugs of what a queue pair itself permits its peer. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { Responder } from '../../model/transport/responder.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** Stimulus with requests whose right was withdrawn from the queue pair. */
const WITHDRAWN: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=withdrawn_rights', '+UD_QP_NUM=0'];

/** Lets some requests pass without a look at the rights of their queue pair. */
function overlooking(some: (p: RxPacket) => boolean): typeof Responder {
  return class extends Responder {
    protected override rightsAllow(c: number, p: RxPacket): boolean {
      return some(p) || super.rightsAllow(c, p);
    }
  };
}

export const RIGHTS_FAULTS: readonly Fault[] = [
  {
    name: 'qp_rights_ignored',
    block: 'responder',
    description: 'a WRITE is executed although its queue pair does not permit it',
    caughtBy: ['SCB_STATUS'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=1', '+UC_QP_NUM=0'],
    create: planted({ responder: overlooking((p) => (p.opcode & 31) !== BTH_OP.readRequest) }),
  },
  {
    name: 'qp_rights_of_reads',
    block: 'responder',
    description: 'a READ is answered although its queue pair does not permit it',
    caughtBy: ['SCB_STATUS'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=3', '+UC_QP_NUM=0'],
    create: planted({ responder: overlooking((p) => (p.opcode & 31) === BTH_OP.readRequest) }),
  },
  {
    name: 'qp_rights_of_nothing',
    block: 'responder',
    description: 'a WRITE or READ of no bytes ends well although its queue pair does not permit it',
    caughtBy: ['SCB_STATUS'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=4', '+UC_QP_NUM=0'],
    create: planted({ responder: overlooking((p) => p.dmaLength === 0) }),
  },
  {
    name: 'qp_rights_on_uc',
    block: 'responder',
    description: 'a WRITE on UC is executed although its queue pair does not permit it',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=0', '+UC_QP_NUM=1'],
    create: planted({ responder: overlooking((p) => p.opcode >>> 5 === 1) }),
  },
];
