/** What is wrong with a single packet: the value found and the one that is right. Runs only on a finding. */

import { OPCODE_CNP } from '../../rdma/bth.ts';
import { hex, hexDigits } from '../../uvm/report/hexTexts.ts';
import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import { rightIpv4Checksum, rightUdpChecksum } from './internetChecksum.ts';
import { OPCODE, PAYLOAD } from './wireOpcodes.ts';
import { PROBLEM, type ProblemName } from './wireRules.ts';

const MIN_FRAME = 60;
const VLAN_TAG = 4;
const ETHERNET = 14;
/** From the first byte of the BTH. */
const DETH_RESERVED = 16;
/** Shortest IP packets: header, UDP header, base transport header, ICRC. */
const SHORTEST = { 4: 44, 6: 24 } as const;

type Text = (p: DecodedPacket, u8: Uint8Array) => string;

const TEXT: Readonly<Record<ProblemName, Text>> = {
  frame: frameText,
  ipHeader: ipHeaderText,
  ipLength: ipLengthText,
  ipChecksum: (p, u8) =>
    `has IP header checksum ${hexDigits(be16(u8, p.network + 10), 4)}; ${hexDigits(rightIpv4Checksum(u8, p.network), 4)} is right`,
  fragment: (p, u8) =>
    `has IP flags and fragment offset ${hexDigits(be16(u8, p.network + 6), 4)}; 0x4000 is right: not to be cut, and whole`,
  udpLength: (p, u8) => `has UDP length ${be16(u8, udpOf(p) + 4)}; ${udpRoom(p, u8)} is right, by the IP length`,
  udpChecksum: (p, u8) => {
    const right = rightUdpChecksum(u8, p.network, p.ipVersion, udpOf(p), udpRoom(p, u8));
    return `has UDP checksum ${hexDigits(be16(u8, udpOf(p) + 6), 4)}; ${hexDigits(right, 4)} is right, or 0x0000 for none`;
  },
  udpPort: (p) => `has UDP source port ${hexDigits(p.sourcePort, 4)}; 0xc000 to 0xffff are right`,
  icrc: (p) =>
    `has ICRC ${hex(p.icrc | 0)}; ${hex(p.icrcExpected | 0)} is right (as read least significant byte first)`,
  bth: bthText,
  opcode: (p) => `has opcode ${hexDigits(p.opcode, 2)}, which does not exist`,
  pad: padText,
  payload: payloadText,
  syndrome: (p) =>
    `has AETH syndrome ${hexDigits(p.syndrome, 2)}; 0x00 to 0x1f (ACK) are right, and in an ACKNOWLEDGE 0x20 to 0x3f (RNR NAK) and 0x60 to 0x63 (NAK)`,
  cnp: cnpText,
  deth: (p, u8) =>
    `has ${hexDigits(u8[p.transport + DETH_RESERVED] as number, 2)} in the reserved byte of its DETH; 0x00 is right`,
  destQp: (p) => `goes to QP ${hex(p.destQp)}; QPs 0x1 to 0xfffffe are right, and 0xffffff for datagrams`,
};

/** What breaks the rule of a bit of `PROBLEM`. @param u8 the byte store, which holds the frame */
export function problemText(p: DecodedPacket, problem: number, u8: Uint8Array): string {
  for (const [name, bit] of Object.entries(PROBLEM)) if (bit === problem) return TEXT[name as ProblemName](p, u8);
  return '';
}

function frameText(p: DecodedPacket, u8: Uint8Array): string {
  const headers = p.network - p.frame;
  const shortest = headers > ETHERNET ? MIN_FRAME + VLAN_TAG : MIN_FRAME;
  const packet = headers + ipLength(p, u8);
  const right = packet >= MIN_FRAME ? `${packet} B` : `${MIN_FRAME} to ${shortest} B`;
  return `is in a frame of ${p.frameLength} B; ${right} are right for an IP packet of ${ipLength(p, u8)} B`;
}

function ipHeaderText(p: DecodedPacket, u8: Uint8Array): string {
  const first = u8[p.network] as number;
  if (p.ipVersion === 6 && first >> 4 !== 6) return `has IP version ${first >> 4}; 6 is right by its Ethernet type`;
  if (p.ipVersion === 4 && first !== 0x45) {
    return `has IP version and header length ${hexDigits(first, 2)}; 0x45 is right: version 4 without options`;
  }
  return `has hop limit ${p.hopLimit}; 1 or more is right`;
}

function ipLengthText(p: DecodedPacket, u8: Uint8Array): string {
  const room = p.frame + p.frameLength - p.network - (p.ipVersion === 6 ? 40 : 0);
  const found = be16(u8, p.network + (p.ipVersion === 6 ? 4 : 2));
  const shortest = p.ipVersion === 6 ? SHORTEST[6] : SHORTEST[4];
  return `has IP length ${found}; ${shortest} to ${room} are possible in its frame`;
}

function bthText(p: DecodedPacket, u8: Uint8Array): string {
  const bad: string[] = [];
  const must = (name: string, found: number, right: number): void => {
    if (found !== right) bad.push(`${name} ${hex(found)} where ${right} is right`);
  };
  must('transport version', (u8[p.transport + 1] as number) & 15, 0);
  if (p.opcode !== OPCODE_CNP) must('FECN, BECN and reserved bits', u8[p.transport + 4] as number, 0);
  must('reserved bits behind AckReq', (u8[p.transport + 8] as number) & 0x7f, 0);
  if (p.ackRequest && (p.flags & OPCODE.response) !== 0) bad.push('AckReq 1 where 0 is right in a response');
  if (bad.length === 0) bad.push('SE 1 where 0 is right: it does not end a message that takes a receive');
  return `has ${bad.join(', ')}`;
}

function padText(p: DecodedPacket, u8: Uint8Array): string {
  const end = p.payload + p.payloadLength;
  const right = -p.payloadLength & 3;
  if (p.padCount !== right)
    return `has pad count ${p.padCount} behind ${p.payloadLength} B of payload; ${right} is right`;
  const found = Array.from(u8.subarray(end, end + p.padCount), (byte) => hexDigits(byte, 2)).join(' ');
  return `has pad bytes ${found} behind ${p.payloadLength} B of payload; 0 is right`;
}

function payloadText(p: DecodedPacket): string {
  if (p.kind === PACKET.malformed) return 'is shorter than the headers of its opcode and its pad';
  const rule = (p.flags >> OPCODE.payloadShift) & 3;
  const right =
    rule === PAYLOAD.full
      ? 'a path MTU (256, 512, 1024, 2048 or 4096)'
      : rule === PAYLOAD.last
        ? '1 to 4096'
        : rule === PAYLOAD.none
          ? 'none'
          : '0 to 4096';
  return `carries ${p.payloadLength} B of payload; ${right} is right for its opcode`;
}

function cnpText(p: DecodedPacket): string {
  const bits = `FECN ${Number(p.fecn)}, BECN ${Number(p.becn)}, SE ${Number(p.solicited)}, AckReq ${Number(p.ackRequest)}`;
  const found = `${bits}, pad count ${p.padCount}, ${p.payloadLength} B of payload`;
  return `has ${found}; BECN 1 is right, all else 0, its PSN and the 16 reserved bytes behind the BTH too`;
}

/** Bytes of the IP packet as its header says. */
function ipLength(p: DecodedPacket, u8: Uint8Array): number {
  return p.ipVersion === 6 ? 40 + be16(u8, p.network + 4) : be16(u8, p.network + 2);
}

/** Where the UDP header is. */
function udpOf(p: DecodedPacket): number {
  return p.network + (p.ipVersion === 6 ? 40 : 20);
}

/** Bytes of the UDP datagram as the IP header says. */
function udpRoom(p: DecodedPacket, u8: Uint8Array): number {
  return ipLength(p, u8) - (p.ipVersion === 6 ? 40 : 20);
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}
