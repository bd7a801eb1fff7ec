/**
 * Invariant CRC (roce-transport.md section 2): CRC-32 over eight bytes of ones, the IP, UDP and BTH headers with the
 * fields that may change on the way set to ones, and everything after the BTH up to the ICRC itself.
 */
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { IPV6_BYTES } from './frameLayout.ts';

/** CRC-32 of the eight bytes of ones. */
const ONES_CRC = 0x2144_df1c;

/**
 * Computes the ICRC in place: masks the header fields, runs the CRC over one contiguous range, puts the fields back.
 *
 * @param l3 byte-store offset of the IP header, a multiple of 4
 * @param l3Bytes 20 or 40
 * @param end offset just behind the last byte covered
 * @returns the CRC as an unsigned number; its least significant byte goes first on the wire
 */
export function icrcInPlace(bytes: ByteStore, l3: number, l3Bytes: number, end: number): number {
  const m = bytes.i32;
  const w = l3 >> 2;
  const udp = w + (l3Bytes >> 2) + 1;
  const bth = udp + 2;
  // IPv4: TOS is byte 1 of the header, TTL byte 8, its checksum bytes 10 and 11.
  let hop = w + 2;
  let mask0 = 0xff00;
  let hopMask = ~0xff00;
  if (l3Bytes === IPV6_BYTES) {
    // All but the version nibble of the first word, and the hop limit, byte 7.
    hop = w + 1;
    mask0 = ~0xf0;
    hopMask = ~0xff_ffff;
  }
  const ip0 = m[w] as number;
  const ip1 = m[hop] as number;
  const udp1 = m[udp] as number;
  const bth1 = m[bth] as number;
  m[w] = ip0 | mask0;
  m[hop] = ip1 | hopMask;
  m[udp] = udp1 | ~0xffff;
  m[bth] = bth1 | 0xff;
  const crc = bytes.crc32(ONES_CRC, l3, end - l3);
  m[w] = ip0;
  m[hop] = ip1;
  m[udp] = udp1;
  m[bth] = bth1;
  return crc;
}
