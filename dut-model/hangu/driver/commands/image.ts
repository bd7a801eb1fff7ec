/**
 * Big-endian fields of command mailboxes, in the byte store. A run with thousands of queue pairs writes hundreds of
 * thousands of images, so whole words are single stores.
 */

import type { Field } from '../../layout/contexts.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';

/** Writes the low bytes of `value` to a field of 1, 2 or 4 bytes of the image at `base`, a multiple of 4. */
export function putField(bytes: ByteStore, base: number, field: Field, value: number): void {
  const at = base + field[0];
  const size = field[1];
  if (size === 4) {
    putWord(bytes, at, value);
    return;
  }
  if (size === 2) {
    bytes.u8[at] = value >>> 8;
    bytes.u8[at + 1] = value;
  } else bytes.u8[at] = value;
}

/** Writes an 8-byte field from two halves. */
export function putField64(bytes: ByteStore, base: number, field: Field, hi: number, lo: number): void {
  putWord(bytes, base + field[0], hi);
  putWord(bytes, base + field[0] + 4, lo);
}

/** Writes a 32-bit big-endian word at a multiple of 4. */
export function putWord(bytes: ByteStore, at: number, value: number): void {
  bytes.i32[at >>> 2] = (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
}

/** Value of a field of 1, 2 or 4 bytes, unsigned. */
export function getField(bytes: ByteStore, base: number, field: Field): number {
  let value = 0;
  for (let i = 0; i < field[1]; i++) value = (value << 8) | (bytes.u8[base + field[0] + i] as number);
  return value >>> 0;
}
