/** Operands of atomics as files have them: hexadecimal numbers of 64 bits. */
import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { WR_OPCODE } from '../../rdma/verbs.ts';

/** Of a fetch-and-add `add`, of a compare-and-swap both others. */
export interface OperandTexts {
  readonly add?: string | undefined;
  readonly compare?: string | undefined;
  readonly swap?: string | undefined;
}

/** What an operand looks like. */
export const OPERAND = /^0x[0-9a-f]{1,16}$/i;
export const OPERAND_HINT = 'give a hexadecimal number of at most 64 bits, such as 0x1f';

/** The texts of an operation; none for one that is no atomic. @param opcode `WR_OPCODE` */
export function operandTexts(opcode: number, compare: bigint, swap: bigint): OperandTexts {
  const text = (value: bigint): string => `0x${BigInt.asUintN(64, value).toString(16)}`;
  if (opcode === WR_OPCODE.atomicFetchAndAdd) return { add: text(compare) };
  return opcode === WR_OPCODE.atomicCmpAndSwp ? { compare: text(compare), swap: text(swap) } : {};
}

/** Compare or add operand, and swap operand; 0 where there is none. */
export function operandsOf({ add, compare, swap }: OperandTexts): readonly [compare: bigint, swap: bigint] {
  return [BigInt(add ?? compare ?? 0), BigInt(swap ?? 0)];
}

/** Gives a request its operands. */
export function setOperands(wr: SendWr, compare: bigint, swap: bigint): void {
  wr.compareHi = Number(BigInt.asIntN(32, compare >> 32n));
  wr.compareLo = Number(BigInt.asIntN(32, compare));
  wr.swapHi = Number(BigInt.asIntN(32, swap >> 32n));
  wr.swapLo = Number(BigInt.asIntN(32, swap));
}

/** The operands of a request. */
export function operandsIn(wr: SendWr): readonly [compare: bigint, swap: bigint] {
  const long = (hi: number, lo: number): bigint => (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
  return [long(wr.compareHi, wr.compareLo), long(wr.swapHi, wr.swapLo)];
}
