/** How the bugs of handleFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

const HANDLES: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=address_handles'],
  ...['+RC_QP_NUM=0', '+UC_QP_NUM=0', '+UD_QP_NUM=2', '+SEQ_COUNT=1'],
];
const PATH: readonly string[] = ['WIRE_PATH', 'SCB_UD_GRH'];

export const HANDLE_ROWS = [
  {
    name: 'handle_domain_ignored',
    block: 'send queue',
    description: 'a datagram goes by an address handle of another protection domain',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: HANDLES,
  },
  {
    name: 'handle_domain_low_bits',
    block: 'send queue',
    description: 'the protection domain of an address handle is compared in its lowest 8 bits',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: HANDLES,
  },
  {
    name: 'handle_domain_high_bits',
    block: 'send queue',
    description: 'the protection domain of an address handle is compared in its highest 8 bits',
    decides: 'NIC reads # B of data of process #',
    caughtBy: ['SCB_STATUS'],
    needs: HANDLES,
  },
  {
    name: 'handle_refused_twice',
    block: 'send queue',
    description:
      'behind a datagram that is refused for its address handle the next one is refused too, unless it is plain',
    decides: 'completion LOC_QP_OP_ERR of the send queue',
    caughtBy: ['SCB_STATUS'],
    needs: HANDLES,
  },
  {
    name: 'handle_class_ignored',
    block: 'request packets',
    description: 'datagrams have traffic class 0 whatever their address handle says',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: PATH,
    needs: HANDLES,
  },
  {
    name: 'handle_class_ecn_cut',
    block: 'request packets',
    description: 'the two lowest bits of the traffic class of an address handle are left out',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: PATH,
    needs: HANDLES,
  },
  {
    name: 'handle_flow_cut',
    block: 'request packets',
    description: 'the flow label of an address handle is cut to 16 bits',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: PATH,
    needs: HANDLES,
  },
  {
    name: 'handle_hop_limit_ignored',
    block: 'request packets',
    description: 'datagrams have hop limit 64 whatever their address handle says',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: PATH,
    needs: HANDLES,
  },
  {
    name: 'handle_hop_limit_less',
    block: 'request packets',
    description: 'a hop limit other than 64 of an address handle is counted down by its own NIC',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: PATH,
    needs: HANDLES,
  },
  {
    name: 'handle_gid_index_ignored',
    block: 'request packets',
    description: 'datagrams over IPv6 come from the first entry of the GID table whatever their address handle says',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: ['WIRE_ADDRESS'],
    needs: HANDLES,
  },
  {
    name: 'handle_path_sticks',
    block: 'request packets',
    description: 'a plain datagram behind one with attributes of its address handle has these too',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: PATH,
    needs: HANDLES,
  },
] as const satisfies readonly FaultRow[];
