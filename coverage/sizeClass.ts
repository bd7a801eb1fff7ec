/** Lengths as transport sees them: where a message changes its number of packets. */

/** Of a message, by its number of bytes and the path MTU. */
export const SIZE_CLASS = {
  zero: 0,
  oneByte: 1,
  belowMtu: 2,
  mtuMinusOne: 3,
  mtu: 4,
  mtuPlusOne: 5,
  twoPackets: 6,
  wholePackets: 7,
  fewPackets: 8,
  manyPackets: 9,
} as const;

/** Classes of messages of more than one packet. */
export const SEVERAL_PACKETS: readonly string[] = [
  'mtuPlusOne',
  'twoPackets',
  'wholePackets',
  'fewPackets',
  'manyPackets',
];

/** Packets from which on a message has many. */
const MANY = 17;

/** @param mtu path MTU in bytes, above 2 */
export function sizeClass(bytes: number, mtu: number): number {
  if (bytes <= 1) return bytes;
  if (bytes <= mtu + 1) return bytes < mtu - 1 ? SIZE_CLASS.belowMtu : SIZE_CLASS.mtu + (bytes - mtu);
  if (bytes >= MANY * mtu) return SIZE_CLASS.manyPackets;
  if (bytes % mtu === 0) return SIZE_CLASS.wholePackets;
  return bytes < 2 * mtu ? SIZE_CLASS.twoPackets : SIZE_CLASS.fewPackets;
}

/** Bytes of a message of a class, for a path MTU: what to ask for where the class is a hole. */
export function bytesOfSize(name: string, mtu: number): number {
  const bytes: Readonly<Record<string, number>> = {
    zero: 0,
    oneByte: 1,
    belowMtu: mtu / 2,
    mtuMinusOne: mtu - 1,
    mtu,
    mtuPlusOne: mtu + 1,
    twoPackets: mtu + mtu / 2,
    wholePackets: 4 * mtu,
    fewPackets: 3 * mtu + 5,
    manyPackets: 20 * mtu,
  };
  return bytes[name] ?? mtu;
}

/** Where an address lies within its page, and how far what begins there reaches. */
export const PAGE_BYTES = 4096;

/** Pages that `length` bytes from an address reach into beyond the first. @param lo lower half of the address */
export function pageCrossings(lo: number, length: number): number {
  return length === 0 ? 0 : Math.floor(((lo & (PAGE_BYTES - 1)) + length - 1) / PAGE_BYTES);
}

/** Whether bytes from an address lie on both sides of a multiple of 4 GiB. */
export function crosses4Gib(lo: number, length: number): boolean {
  return (lo >>> 0) + length > 0x1_0000_0000;
}

/** Power of two that an address is a multiple of, at most 12: that of a page. */
export function alignmentOf(lo: number): number {
  return lo === 0 ? 12 : Math.min(12, 31 - Math.clz32(lo & -lo));
}
