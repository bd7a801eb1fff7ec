import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import { PROBLEM } from './wireRules.ts';

/** Whether a packet means what its headers say: it could be decoded to the end, and its invariant CRC is right. */
export function isSound(p: DecodedPacket): boolean {
  return p.kind === PACKET.roce && (p.problems & PROBLEM.icrc) === 0;
}
