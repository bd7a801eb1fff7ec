/** How the bugs of rightsFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

/** Stimulus with requests whose right was withdrawn from the queue pair. */
const WITHDRAWN: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=withdrawn_rights', '+UD_QP_NUM=0'];

export const RIGHTS_ROWS = [
  {
    name: 'qp_rights_ignored',
    block: 'responder',
    description: 'a WRITE is executed although its queue pair does not permit it',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=1', '+UC_QP_NUM=0'],
  },
  {
    name: 'qp_rights_of_reads',
    block: 'responder',
    description: 'a READ is answered although its queue pair does not permit it',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=3', '+UC_QP_NUM=0'],
  },
  {
    name: 'qp_rights_of_nothing',
    block: 'responder',
    description: 'a WRITE or READ of no bytes ends well although its queue pair does not permit it',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_STATUS'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=4', '+UC_QP_NUM=0'],
  },
  {
    name: 'qp_rights_on_uc',
    block: 'responder',
    description: 'a WRITE on UC is executed although its queue pair does not permit it',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_STRAY_WRITE', 'SCB_DATA'],
    needs: [...WITHDRAWN, '+RC_QP_NUM=0', '+UC_QP_NUM=1'],
  },
] as const satisfies readonly FaultRow[];
