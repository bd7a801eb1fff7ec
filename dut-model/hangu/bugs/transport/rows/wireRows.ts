/** How the bugs of wireFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const WIRE_ROWS = [
  {
    name: 'icrc_wrong',
    block: 'frame builder',
    description: 'every 12th frame has a wrong ICRC',
    decides: 'RC SEND_ONLY_IMM, PSN #',
    caughtBy: ['WIRE_ICRC'],
  },
  {
    name: 'icrc_without_pad',
    block: 'frame builder',
    description: 'the ICRC does not cover the pad',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_ICRC'],
  },
  {
    name: 'udp_source_port',
    block: 'frame builder',
    description: 'the UDP source port is 1024',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_UDP_PORT'],
  },
  {
    name: 'own_mac_as_destination',
    block: 'frame builder',
    description: 'frames carry the MAC address of their sender as that of their receiver',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_ADDRESS'],
  },
  {
    name: 'datagram_hop_limit',
    block: 'frame builder',
    description: 'datagrams have a hop limit of 1',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: ['WIRE_PATH'],
    needs: ['+RC_QP_NUM=0', '+UC_QP_NUM=0', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=0'],
  },
  {
    name: 'traffic_class_lost',
    block: 'frame builder',
    description: 'the traffic class is 0, whatever the queue pair was given',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_PATH'],
    needs: ['+TRAFFIC_CLASS=96'],
  },
  {
    name: 'fragments_allowed',
    block: 'frame builder',
    description: 'IPv4 packets do not forbid fragments',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_FRAGMENT'],
  },
  {
    name: 'solicited_lost',
    block: 'frame builder',
    description: 'solicited messages are sent as any other',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_SOLICITED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=send_flags'],
  },
  {
    name: 'solicited_always',
    block: 'frame builder',
    description: 'every SEND of one packet is sent as solicited',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_SOLICITED'],
  },
  {
    name: 'psn_skipped',
    block: 'frame builder',
    description: 'every 25th packet carries the PSN after its own',
    decides: 'UD SEND_ONLY, PSN #',
    caughtBy: ['WIRE_PSN', 'WIRE_ACK_PSN'],
  },
] as const satisfies readonly FaultRow[];
