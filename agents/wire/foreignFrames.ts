/** What a frame is that is no plain RoCEv2 packet. Runs only on a finding. */

import { UDP_PORT_ROCE } from '../../rdma/bth.ts';
import { hexDigits } from '../../uvm/report/hexTexts.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { type DecodedPacket, PACKET } from './decodedPacket.ts';

const ETHERTYPE_IPV4 = 0x0800;
const ETHERTYPE_IPV6 = 0x86dd;
const PROTOCOL_UDP = 17;
/** Bytes up to the end of the UDP header. */
const HEADERS: Readonly<Record<number, number>> = { [ETHERTYPE_IPV4]: 28, [ETHERTYPE_IPV6]: 48 };

/** The frame, and what tells it from those that software asks for. @param u8 the byte store, which holds the frame */
export function foreignText(p: DecodedPacket, u8: Uint8Array): string {
  const to = p.to < 0 ? 'all' : `host ${p.to}`;
  return `host ${p.host} to ${to}: frame of ${p.frameLength} B, on the wire at ${logTime(p.time)}, ${differenceOf(p, u8)}`;
}

function differenceOf(p: DecodedPacket, u8: Uint8Array): string {
  if (p.kind !== PACKET.other) return `has VLAN tag ${hexDigits(p.vlan, 4)}; no queue pair was given one`;
  const type = be16(u8, p.network - 2);
  const headers = HEADERS[type];
  if (headers === undefined) return `has Ethernet type ${hexDigits(type, 4)}; 0x0800 and 0x86dd are right`;
  const room = p.frame + p.frameLength - p.network;
  if (room < headers) return `has ${room} B behind its Ethernet header; IP and UDP headers take ${headers}`;
  const protocol = u8[p.network + (type === ETHERTYPE_IPV4 ? 9 : 6)] as number;
  if (protocol !== PROTOCOL_UDP) return `has IP protocol ${protocol}; ${PROTOCOL_UDP} (UDP) is right`;
  return `goes to UDP port ${be16(u8, p.network + headers - 6)}; ${UDP_PORT_ROCE} is right`;
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}
