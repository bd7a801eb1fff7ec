/**
 * Invariant CRC (roce-transport.md section 2): CRC-32 over eight bytes of ones, the IP, UDP and BTH headers with the
 * fields that may change on the way set to ones, and everything after the BTH up to the ICRC itself.
 */
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { IPV6_BYTES } from './frameLayout.ts';

/**
 * Computes the ICRC in place: masks the header fields, runs the CRC over one contiguous range, puts the fields back.
 * The eight bytes in front of the IP header (the end of the Ethernet header) are borrowed for the ones.
 *
 * @param l3 byte-store offset of the IP header, a multiple of 4
 * @param l3Bytes 20 or 40
 * @param end offset just behind the last byte covered
 * @returns the CRC as an unsigned number; its least significant byte goes first on the wire
 */
export function icrcInPlace(bytes: ByteStore, l3: number, l3Bytes: number, end: number): number {
  const m = bytes.i32;
  const w = l3 >> 2;
  const u = w + (l3Bytes >> 2);
  const e0 = m[w - 2] as number;
  const e1 = m[w - 1] as number;
  const ip0 = m[w] as number;
  const ttlWord = l3Bytes === IPV6_BYTES ? w + 1 : w + 2;
  const ip1 = m[ttlWord] as number;
  const udp1 = m[u + 1] as number;
  const bth1 = m[u + 3] as number;
  m[w - 2] = -1;
  m[w - 1] = -1;
  // IPv4: TOS is byte 1, TTL byte 8, checksum bytes 10-11. IPv6: all but the version nibble, hop limit byte 7.
  m[w] = l3Bytes === IPV6_BYTES ? ip0 | 0xffffff0f : ip0 | 0xff00;
  m[ttlWord] = l3Bytes === IPV6_BYTES ? ip1 | (0xff << 24) : ip1 | 0xffff00ff;
  m[u + 1] = udp1 | 0xffff0000;
  m[u + 3] = bth1 | 0xff;
  const crc = bytes.crc32(0, l3 - 8, end - l3 + 8);
  m[w - 2] = e0;
  m[w - 1] = e1;
  m[w] = ip0;
  m[ttlWord] = ip1;
  m[u + 1] = udp1;
  m[u + 3] = bth1;
  return crc >>> 0;
}
