import type { MemorySubject } from '../../rdma/subject.ts';
import { bytesOfProcess } from '../../rdma/subjectParts.ts';
import type { QpSide } from '../user/qpSide.ts';
import type { RegisteredBuffer } from '../user/memory/registeredBuffer.ts';

/** Bytes of a word. */
export const WORD = 8;

/** What the first eight bytes of a buffer hold as a number, its least byte first. */
export function wordIn(side: QpSide, buffer: RegisteredBuffer): bigint {
  return new DataView(side.contents(buffer.part(0, WORD)).buffer).getBigUint64(0, true);
}

/** The first eight bytes of a buffer, for what a finding accuses. */
export function wordSubject(side: QpSide, buffer: RegisteredBuffer): MemorySubject {
  return bytesOfProcess(side.host, side.qp.process, buffer.hi, buffer.lo, WORD);
}

/** Bytes of a number, least first. */
export function bytesOf(value: bigint): Uint8Array {
  const bytes = new Uint8Array(WORD);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, value), true);
  return bytes;
}

export function hexWord(value: bigint): string {
  return `0x${value.toString(16).padStart(16, '0')}`;
}

/** A word of memory and what it must hold after the atomics that were told (roce-transport.md 3.10). */
export class Word {
  value: bigint;
  readonly #side: QpSide;
  readonly #buffer: RegisteredBuffer;

  /** Gives the word its first value. @param buffer of eight bytes, which belongs to `side` */
  constructor(side: QpSide, buffer: RegisteredBuffer, value: bigint) {
    this.#side = side;
    this.#buffer = buffer;
    this.value = BigInt.asUintN(64, value);
    side.fill(buffer, bytesOf(value));
  }

  /** For what a finding accuses. */
  get subject(): MemorySubject {
    return wordSubject(this.#side, this.#buffer);
  }

  /** What memory holds. */
  get contents(): bigint {
    return wordIn(this.#side, this.#buffer);
  }

  /** A fetch-and-add. @returns what it must bring back */
  add(operand: bigint): bigint {
    const original = this.value;
    this.value = BigInt.asUintN(64, original + operand);
    return original;
  }

  /** A compare-and-swap. @returns what it must bring back */
  compareSwap(compare: bigint, swap: bigint): bigint {
    const original = this.value;
    if (BigInt.asUintN(64, compare) === original) this.value = BigInt.asUintN(64, swap);
    return original;
  }
}
