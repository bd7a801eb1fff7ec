/** Tells frames of RoCEv2 from those of all other protocols, which only software sends: nothing of a packet is checked. */

import { UDP_PORT_ROCE } from '../../rdma/bth.ts';

const ETHERTYPE_IPV4 = 0x0800;
const ETHERTYPE_IPV6 = 0x86dd;
const ETHERTYPE_VLAN = 0x8100;
const PROTOCOL_UDP = 17;
const ETHERNET = 14;
const IPV6 = 40;
/** Bits of the offset of an IPv4 fragment: only the first one has the UDP header. */
const FRAGMENT_OFFSET = 0x1fff;

/** Whether the frame of `length` bytes at `at` is for UDP port 4791, over IPv4 or IPv6, with a VLAN tag or without. */
export function isRoceFrame(u8: Uint8Array, at: number, length: number): boolean {
  if (length < ETHERNET) return false;
  const tagged = be16(u8, at + 12) === ETHERTYPE_VLAN;
  const network = at + ETHERNET + (tagged ? 4 : 0);
  const end = at + length;
  const type = be16(u8, network - 2);
  let udp = -1;
  if (type === ETHERTYPE_IPV4 && network + 20 <= end) {
    const isFirst = (be16(u8, network + 6) & FRAGMENT_OFFSET) === 0;
    if (u8[network + 9] === PROTOCOL_UDP && isFirst) udp = network + ((u8[network] as number) & 15) * 4;
  } else if (type === ETHERTYPE_IPV6 && network + IPV6 <= end && u8[network + 6] === PROTOCOL_UDP) udp = network + IPV6;
  return udp >= 0 && udp + 4 <= end && be16(u8, udp + 2) === UDP_PORT_ROCE;
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}
