/** Reading and writing big-endian fields of command mailboxes. */
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { Field } from '../../../rdma/hangu/contexts.ts';

/** Value of a field of at most four bytes, unsigned. */
export function readField(bytes: ByteStore, base: number, field: Field): number {
  let v = 0;
  for (let i = 0; i < field[1]; i++) v = v * 256 + (bytes.u8[base + field[0] + i] as number);
  return v;
}

/** Upper and lower half of an eight-byte field, as signed integers. */
export function readHigh(bytes: ByteStore, base: number, field: Field): number {
  return readField(bytes, base, [field[0], 4]) | 0;
}

export function readLow(bytes: ByteStore, base: number, field: Field): number {
  return readField(bytes, base, [field[0] + 4, 4]) | 0;
}

/** Writes `count` bytes of `value`, most significant first. */
export function writeBytes(bytes: ByteStore, at: number, value: number, count: number): void {
  for (let i = count - 1, v = value; i >= 0; i--) {
    bytes.u8[at + i] = v & 0xff;
    v = Math.floor(v / 256);
  }
}
