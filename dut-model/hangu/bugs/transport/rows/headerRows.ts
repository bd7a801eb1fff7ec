/** How the bugs of headerFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const HEADER_ROWS = [
  {
    name: 'frame_trailer',
    block: 'frame builder',
    description: 'every twelfth frame has four bytes behind its end',
    caughtBy: ['WIRE_FRAME'],
  },
  {
    name: 'other_protocol',
    block: 'frame builder',
    description: 'every twelfth frame has an Ethernet type of another protocol',
    caughtBy: ['WIRE_FOREIGN'],
  },
  {
    name: 'ip_options',
    block: 'frame builder',
    description: 'every twelfth packet says that its IP header has options',
    caughtBy: ['WIRE_IP_HEADER'],
  },
  {
    name: 'ip_length',
    block: 'frame builder',
    description: 'every twelfth packet has an IP length beyond its frame',
    caughtBy: ['WIRE_IP_LENGTH'],
  },
  {
    name: 'ip_checksum',
    block: 'frame builder',
    description: 'every twelfth packet has a wrong IP checksum',
    caughtBy: ['WIRE_IP_CHECKSUM'],
  },
  {
    name: 'udp_length',
    block: 'frame builder',
    description: 'every twelfth packet has a wrong UDP length',
    caughtBy: ['WIRE_UDP_LENGTH'],
  },
  {
    name: 'udp_checksum',
    block: 'frame builder',
    description: 'every twelfth packet has a wrong UDP checksum',
    caughtBy: ['WIRE_UDP_CHECKSUM'],
  },
  {
    name: 'bth_reserved',
    block: 'frame builder',
    description: 'every twelfth packet has a reserved bit set',
    caughtBy: ['WIRE_BTH'],
  },
  {
    name: 'pad_count',
    block: 'frame builder',
    description: 'every twelfth SEND of one packet has a wrong pad count',
    caughtBy: ['WIRE_PAD'],
  },
  {
    name: 'no_destination',
    block: 'frame builder',
    description: 'every twelfth packet goes to queue pair 0',
    caughtBy: ['WIRE_DEST_QP'],
  },
  {
    name: 'odd_syndrome',
    block: 'frame builder',
    description: 'every twelfth acknowledgement has a reserved syndrome',
    caughtBy: ['WIRE_SYNDROME'],
  },
  {
    name: 'deth_reserved',
    block: 'frame builder',
    description: 'every twelfth datagram of one packet has a byte of its DETH set that is reserved',
    caughtBy: ['WIRE_DETH'],
  },
  {
    name: 'other_service',
    block: 'frame builder',
    description: 'every twelfth SEND of one packet is one of UC',
    caughtBy: ['WIRE_SERVICE'],
  },
  {
    name: 'only_is_first',
    block: 'frame builder',
    description: 'every twelfth SEND of one packet claims to go on',
    caughtBy: ['WIRE_PAYLOAD'],
  },
  {
    name: 'last_is_only',
    block: 'frame builder',
    description: 'every twelfth last packet of a SEND claims to be the only one',
    caughtBy: ['WIRE_SEQUENCE'],
    needs: ['+MTU=256', '+DATA_CNT=3000', '+DATA_UNIT=B'],
  },
  {
    name: 'response_ends',
    block: 'frame builder',
    description: 'every twelfth READ response in the middle claims to be the last',
    caughtBy: ['WIRE_RESPONSE'],
    needs: ['+MTU=256', '+DATA_CNT=3000', '+DATA_UNIT=B'],
  },
  {
    name: 'reth_length',
    block: 'frame builder',
    description: 'every twelfth WRITE of one packet announces another length',
    caughtBy: ['WIRE_DMA_LENGTH'],
  },
] as const satisfies readonly FaultRow[];
