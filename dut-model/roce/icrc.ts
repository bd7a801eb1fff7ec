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
  const ipv6 = l3Bytes === IPV6_BYTES;
  // IPv4: TOS is byte 1 of the header, TTL byte 8, its checksum bytes 10 and 11. IPv6: all but the version nibble of
  // the first word, and the hop limit, byte 7.
  const w = l3 >> 2;
  const hop = w + (ipv6 ? 1 : 2);
  const udp = w + (l3Bytes >> 2) + 1;
  const bth = udp + 2;
  const e0 = m[w - 2] as number;
  const e1 = m[w - 1] as number;
  const ip0 = m[w] as number;
  const ip1 = m[hop] as number;
  const udp1 = m[udp] as number;
  const bth1 = m[bth] as number;
  m[w - 2] = -1;
  m[w - 1] = -1;
  m[w] = ip0 | (ipv6 ? ~0xf0 : 0xff00);
  m[hop] = ip1 | (ipv6 ? ~0xff_ffff : ~0xff00);
  m[udp] = udp1 | ~0xffff;
  m[bth] = bth1 | 0xff;
  const crc = bytes.crc32(0, l3 - 8, end - l3 + 8);
  m[w - 2] = e0;
  m[w - 1] = e1;
  m[w] = ip0;
  m[hop] = ip1;
  m[udp] = udp1;
  m[bth] = bth1;
  return crc;
}
