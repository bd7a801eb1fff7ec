import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import { PROBLEM } from './wireRules.ts';

/** A NIC cannot even tell what it is, or whom it is for. */
const DROPPED = PROBLEM.frame | PROBLEM.ipHeader | PROBLEM.ipLength | PROBLEM.ipChecksum | PROBLEM.fragment;

/** Whether a packet means what its headers say: it could be decoded to the end, and its invariant CRC is right. */
export function isSound(p: DecodedPacket): boolean {
  return p.kind === PACKET.roce && (p.problems & PROBLEM.icrc) === 0;
}

/** One of those that a NIC does not drop before it looks at the transport headers (roce-transport.md 4.1). */
export function reachesTransport(p: DecodedPacket): boolean {
  return isSound(p) && (p.problems & DROPPED) === 0;
}
