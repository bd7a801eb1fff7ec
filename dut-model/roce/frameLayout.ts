/**
 * Where things lie in a frame that starts two bytes into its block, so that every header after Ethernet's is aligned
 * to four bytes (roce-transport.md 1.1). All offsets count from the block's start; word indices from its first word.
 */
export const FRAME_START = 2;
export const ETHERNET_BYTES = 14;
export const L3_AT = 16;
export const IPV4_BYTES = 20;
export const IPV6_BYTES = 40;
export const UDP_BYTES = 8;
export const BTH_BYTES = 12;
export const ICRC_BYTES = 4;
export const MIN_FRAME = 60;
/** A header template holds Ethernet .. BTH of the longer (IPv6) form plus the two bytes in front. */
export const TEMPLATE_BYTES = 80;

export const ETHERTYPE_IPV4 = 0x0800;
export const ETHERTYPE_IPV6 = 0x86dd;
export const ETHERTYPE_VLAN = 0x8100;
export const IP_PROTOCOL_UDP = 17;
