/** How the bugs of addressFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';

export const ADDRESS_ROWS = [
  {
    name: 'mac_of_same_vendor',
    block: 'frame builder',
    description: 'the upper three bytes of a MAC address are those of the own one',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_ADDRESS'],
    needs: ['+NET_ADDRESSES=any'],
  },
  {
    name: 'ip_of_same_subnet',
    block: 'frame builder',
    description: 'the upper three bytes of an IPv4 address are those of the own one',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_ADDRESS'],
    needs: ['+NET_ADDRESSES=any'],
  },
  {
    name: 'gid_of_same_prefix',
    block: 'frame builder',
    description: 'the prefix of a GID is that of the own one',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['WIRE_ADDRESS'],
    needs: ['+NET_ADDRESSES=any', '+IPV6=1'],
  },
] as const satisfies readonly FaultRow[];
