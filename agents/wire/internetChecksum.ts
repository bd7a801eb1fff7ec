/** Ones' complement checksums of IPv4 and UDP (RFC 1071). */

/**
 * True when the 20-byte IPv4 header in these five words has the right checksum. The sum of halves is all ones in
 * either order of bytes.
 */
export function ipv4ChecksumOk(a: number, b: number, c: number, d: number, e: number): boolean {
  const lower = (a & 0xffff) + (b & 0xffff) + (c & 0xffff) + (d & 0xffff) + (e & 0xffff);
  const sum = lower + (a >>> 16) + (b >>> 16) + (c >>> 16) + (d >>> 16) + (e >>> 16);
  return folded(sum) === 0xffff;
}

/**
 * True when the UDP datagram of `length` bytes at `at` has the right non-zero checksum. Only for the rare sender that
 * makes one: it reads every byte.
 */
export function udpChecksumOk(u8: Uint8Array, network: number, version: number, at: number, length: number): boolean {
  const addresses = version === 4 ? wordSum(u8, network + 12, 8) : wordSum(u8, network + 8, 32);
  return folded(addresses + 17 + length + wordSum(u8, at, length)) === 0xffff;
}

/** Checksum that an IPv4 header of 20 bytes should have. For messages. */
export function rightIpv4Checksum(u8: Uint8Array, network: number): number {
  return 0xffff - folded(wordSum(u8, network, 10) + wordSum(u8, network + 12, 8));
}

/** Checksum that a UDP datagram should have if it has one. For messages. */
export function rightUdpChecksum(u8: Uint8Array, network: number, version: number, at: number, length: number): number {
  const addresses = version === 4 ? wordSum(u8, network + 12, 8) : wordSum(u8, network + 8, 32);
  const sum = folded(addresses + 17 + length + wordSum(u8, at, 6) + wordSum(u8, at + 8, length - 8));
  return sum === 0xffff ? sum : 0xffff - sum;
}

function wordSum(u8: Uint8Array, at: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i += 2) {
    sum += ((u8[at + i] as number) << 8) | (i + 1 < length ? (u8[at + i + 1] as number) : 0);
  }
  return sum;
}

function folded(sum: number): number {
  let s = sum;
  while (s > 0xffff) s = (s & 0xffff) + (s >>> 16);
  return s;
}
