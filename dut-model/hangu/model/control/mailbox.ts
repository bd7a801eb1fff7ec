/** Reading and writing big-endian fields of command mailboxes. */
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { Field } from '../../layout/contexts.ts';
import { swap32 } from '../../../roce/endian.ts';

/** Value of a field of at most four bytes, unsigned. */
export function readField(bytes: ByteStore, base: number, field: Field): number {
  let v = 0;
  for (let i = 0; i < field[1]; i++) v = v * 256 + (bytes.u8[base + field[0] + i] as number);
  return v;
}

/** A field of four bytes at a multiple of 4, or the upper half of one of eight, as a signed integer. */
export function readHigh(bytes: ByteStore, base: number, field: Field): number {
  return swap32(bytes.i32[(base + field[0]) >>> 2] as number);
}

/** Lower half of an eight-byte field. */
export function readLow(bytes: ByteStore, base: number, field: Field): number {
  return swap32(bytes.i32[(base + field[0] + 4) >>> 2] as number);
}

/** Writes a field of at most four bytes, most significant one first. */
export function writeField(bytes: ByteStore, base: number, field: Field, value: number): void {
  for (let i = field[1] - 1, v = value; i >= 0; i--) {
    bytes.u8[base + field[0] + i] = v & 0xff;
    v = Math.floor(v / 256);
  }
}
