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
  return l3Bytes === IPV6_BYTES ? overIpv6(bytes, l3, end) : overIpv4(bytes, l3, end);
}

/** TOS is byte 1 of the IP header, TTL byte 8, its checksum bytes 10 and 11. */
function overIpv4(bytes: ByteStore, l3: number, end: number): number {
  const m = bytes.i32;
  const w = l3 >> 2;
  const e0 = m[w - 2] as number;
  const e1 = m[w - 1] as number;
  const ip0 = m[w] as number;
  const ip2 = m[w + 2] as number;
  const udp1 = m[w + 6] as number;
  const bth1 = m[w + 8] as number;
  m[w - 2] = -1;
  m[w - 1] = -1;
  m[w] = ip0 | 0xff00;
  m[w + 2] = ip2 | 0xffff00ff;
  m[w + 6] = udp1 | 0xffff0000;
  m[w + 8] = bth1 | 0xff;
  const crc = bytes.crc32(0, l3 - 8, end - l3 + 8);
  m[w - 2] = e0;
  m[w - 1] = e1;
  m[w] = ip0;
  m[w + 2] = ip2;
  m[w + 6] = udp1;
  m[w + 8] = bth1;
  return crc;
}

/** All but the version nibble of the first word of the IP header, and its hop limit (byte 7). */
function overIpv6(bytes: ByteStore, l3: number, end: number): number {
  const m = bytes.i32;
  const w = l3 >> 2;
  const e0 = m[w - 2] as number;
  const e1 = m[w - 1] as number;
  const ip0 = m[w] as number;
  const ip1 = m[w + 1] as number;
  const udp1 = m[w + 11] as number;
  const bth1 = m[w + 13] as number;
  m[w - 2] = -1;
  m[w - 1] = -1;
  m[w] = ip0 | 0xffffff0f;
  m[w + 1] = ip1 | (0xff << 24);
  m[w + 11] = udp1 | 0xffff0000;
  m[w + 13] = bth1 | 0xff;
  const crc = bytes.crc32(0, l3 - 8, end - l3 + 8);
  m[w - 2] = e0;
  m[w - 1] = e1;
  m[w] = ip0;
  m[w + 1] = ip1;
  m[w + 11] = udp1;
  m[w + 13] = bth1;
  return crc;
}
