import type { DecodedPacket } from './decodedPacket.ts';
import { MESSAGE, OPCODE } from './wireOpcodes.ts';

/** Reads the extended headers that `p.flags` names, in wire order from offset `at` (roce-transport.md 1.5). */
export function readExtendedHeaders(u8: Uint8Array, p: DecodedPacket, at: number): void {
  const { flags } = p;
  let next = at;
  if ((flags & OPCODE.deth) !== 0) {
    p.qkey = be32(u8, next);
    p.sourceQp = be32(u8, next + 4) & 0xffffff;
    next += 8;
  }
  if ((flags & OPCODE.reth) !== 0) {
    readTarget(u8, p, next);
    p.dmaLength = be32(u8, next + 12) >>> 0;
    next += 16;
  } else if ((flags & OPCODE.atomicEth) !== 0) {
    readTarget(u8, p, next);
    p.swapHi = be32(u8, next + 12);
    p.swapLo = be32(u8, next + 16);
    p.compareHi = be32(u8, next + 20);
    p.compareLo = be32(u8, next + 24);
    next += 28;
  } else if ((flags & OPCODE.aeth) !== 0) {
    const word = be32(u8, next);
    p.syndrome = word >>> 24;
    p.msn = word & 0xffffff;
    next += 4;
  }
  if ((flags & OPCODE.atomicAckEth) !== 0) {
    p.originalHi = be32(u8, next);
    p.originalLo = be32(u8, next + 4);
  } else if ((flags & (OPCODE.immediate | OPCODE.ieth)) !== 0) p.immediate = be32(u8, next);
}

/** True for an AETH syndrome that is reserved, or that a response with data may not carry (3.4). */
export function syndromeProblem(syndrome: number, flags: number): boolean {
  if (syndrome < 0x20) return false;
  if (((flags >> OPCODE.kindShift) & 7) !== MESSAGE.acknowledge) return true;
  return syndrome >= 0x40 && (syndrome < 0x60 || syndrome > 0x63);
}

function readTarget(u8: Uint8Array, p: DecodedPacket, at: number): void {
  p.vaHi = be32(u8, at);
  p.vaLo = be32(u8, at + 4);
  p.rkey = be32(u8, at + 8);
}

function be32(u8: Uint8Array, at: number): number {
  return (
    ((u8[at] as number) << 24) | ((u8[at + 1] as number) << 16) | ((u8[at + 2] as number) << 8) | (u8[at + 3] as number)
  );
}
