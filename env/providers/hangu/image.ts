/**
 * Big-endian fields of command mailboxes, in the byte store. Mailboxes are small and commands are slow, so this is
 * written for clarity, byte by byte.
 */

import type { Field } from '../../../rdma/hangu/contexts.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';

/** Writes the low bytes of `value` to a field of 1, 2 or 4 bytes of the image at `base`. */
export function putField(bytes: ByteStore, base: number, field: Field, value: number): void {
  putBytes(bytes, base + field[0], field[1], value);
}

/** Writes an 8-byte field from two halves. */
export function putField64(bytes: ByteStore, base: number, field: Field, hi: number, lo: number): void {
  putWord(bytes, base + field[0], hi);
  putWord(bytes, base + field[0] + 4, lo);
}

/** Writes a 32-bit big-endian word. */
export function putWord(bytes: ByteStore, at: number, value: number): void {
  putBytes(bytes, at, 4, value);
}

/** Value of a field of 1, 2 or 4 bytes, unsigned. */
export function getField(bytes: ByteStore, base: number, field: Field): number {
  let value = 0;
  for (let i = 0; i < field[1]; i++) value = (value << 8) | (bytes.u8[base + field[0] + i] as number);
  return value >>> 0;
}

function putBytes(bytes: ByteStore, at: number, count: number, value: number): void {
  for (let i = 0; i < count; i++) bytes.u8[at + i] = value >>> (8 * (count - 1 - i));
}
