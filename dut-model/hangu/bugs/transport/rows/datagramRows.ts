/** How the bugs of datagramFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const SEQUENCE = '+UVM_TESTNAME=test_sequence';

const ONLY_UD: readonly string[] = ['+RC_QP_NUM=0', '+UC_QP_NUM=0', '+UD_QP_NUM=2'];

const CHANGED_QKEYS: readonly string[] = [SEQUENCE, '+UVM_TEST_SEQ=changed_qkeys', ...ONLY_UD];

export const DATAGRAM_ROWS = [
  {
    name: 'change_keeps_qkey',
    block: 'command engine',
    description: 'a change of the Q_Key of a queue pair in RTS is not made',
    decides: 'QUERY_QP of QP #',
    caughtBy: ['SCB_IMM'],
    needs: CHANGED_QKEYS,
  },
  {
    name: 'own_qkey_sticks',
    block: 'requester',
    description: 'a datagram behind one that asked for the Q_Key of its queue pair carries that too',
    decides: 'UD SEND_ONLY_IMM, PSN #',
    caughtBy: ['SCB_WIRE_REQUEST'],
    needs: CHANGED_QKEYS,
  },
  {
    name: 'datagram_address_sticks',
    block: 'requester',
    description: 'a datagram to a queue pair with the number of the one before goes to the host of that',
    decides: 'UD SEND_ONLY_IMM, PSN #',
    caughtBy: ['SCB_WIRE_REQUEST'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=datagram_peers', ...ONLY_UD, '+HOST_NUM=4'],
  },
  {
    name: 'grh_cut',
    block: 'responder',
    description: 'the rest of a GRH that ends behind the first entry of its receive is left out',
    decides: '# B are in data',
    caughtBy: ['SCB_UD_GRH'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=split_headers', ...ONLY_UD],
  },
] as const satisfies readonly FaultRow[];
