import type { DecodedPacket } from './decodedPacket.ts';
import { PROBLEM } from './wireRules.ts';
import { MESSAGE, OPCODE, messageOf } from './wireOpcodes.ts';
import { lastThree, wholeWord } from './wireWords.ts';

/** Headers with more than a message number or immediate data. */
const LONG_HEADERS = OPCODE.deth | OPCODE.reth | OPCODE.atomicEth | OPCODE.atomicAckEth;

/** Reads the extended headers that `p.flags` names, in wire order from word `at` of `w` (roce-transport.md 1.5). */
export function readExtendedHeaders(w: Int32Array, p: DecodedPacket, at: number): void {
  const { flags } = p;
  if ((flags & LONG_HEADERS) !== 0) {
    readLongHeaders(w, p, at);
    return;
  }
  let next = at;
  if ((flags & OPCODE.aeth) !== 0) readAeth(w, p, next++);
  if ((flags & (OPCODE.immediate | OPCODE.ieth)) !== 0) p.immediate = wholeWord(w[next] as number);
}

/** True for an AETH syndrome that is reserved, or that a response with data may not carry (3.4). */
export function syndromeProblem(syndrome: number, flags: number): boolean {
  if (syndrome < 0x20) return false;
  if (messageOf(flags) !== MESSAGE.acknowledge) return true;
  return syndrome >= 0x40 && (syndrome < 0x60 || syndrome > 0x63);
}

function readLongHeaders(w: Int32Array, p: DecodedPacket, at: number): void {
  const { flags } = p;
  let next = at;
  if ((flags & OPCODE.deth) !== 0) {
    p.qkey = wholeWord(w[next] as number);
    const second = w[next + 1] as number;
    p.sourceQp = lastThree(second);
    if ((second & 0xff) !== 0) p.problems |= PROBLEM.deth;
    next += 2;
  }
  if ((flags & OPCODE.reth) !== 0) {
    readTarget(w, p, next);
    p.dmaLength = wholeWord(w[next + 3] as number) >>> 0;
    next += 4;
  } else if ((flags & OPCODE.atomicEth) !== 0) {
    readTarget(w, p, next);
    p.swapHi = wholeWord(w[next + 3] as number);
    p.swapLo = wholeWord(w[next + 4] as number);
    p.compareHi = wholeWord(w[next + 5] as number);
    p.compareLo = wholeWord(w[next + 6] as number);
    next += 7;
  } else if ((flags & OPCODE.aeth) !== 0) readAeth(w, p, next++);
  if ((flags & OPCODE.atomicAckEth) !== 0) {
    p.originalHi = wholeWord(w[next] as number);
    p.originalLo = wholeWord(w[next + 1] as number);
  } else if ((flags & (OPCODE.immediate | OPCODE.ieth)) !== 0) p.immediate = wholeWord(w[next] as number);
}

function readAeth(w: Int32Array, p: DecodedPacket, at: number): void {
  const word = w[at] as number;
  p.syndrome = word & 0xff;
  p.msn = lastThree(word);
}

function readTarget(w: Int32Array, p: DecodedPacket, at: number): void {
  p.vaHi = wholeWord(w[at] as number);
  p.vaLo = wholeWord(w[at + 1] as number);
  p.rkey = wholeWord(w[at + 2] as number);
}
