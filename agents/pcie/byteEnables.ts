/** Byte-enable arithmetic of memory requests (PCI Express Base Specification, "First/Last DW Byte Enables Rules"). */

/** Bytes of payload that a request moves when counted in whole dwords, as packet headers do. A flush read counts one. */
export function dwordBytes(lo: number, length: number): number {
  return length === 0 ? 4 : ((lo & 3) + length + 3) & ~3;
}

/** First-dword enables of a request that wants every byte from `lo` on. */
export function naturalFirst(lo: number, length: number): number {
  if (length === 0) return 0;
  const end = Math.min(4, (lo & 3) + length);
  return ((1 << end) - 1) & (0xf << (lo & 3));
}

/** Last-dword enables of such a request; 0 when there is only one dword. */
export function naturalLast(lo: number, length: number): number {
  const end = (lo & 3) + length;
  if (length === 0 || end <= 4) return 0;
  return 0xf >> ((4 - (end & 3)) & 3);
}

/**
 * Why a pair of enables does not fit a request from its first to its last enabled byte, or null when it does.
 * -1 stands for the natural value.
 */
export function enablesProblem(lo: number, length: number, firstBe: number, lastBe: number): string | null {
  const first = firstBe === -1 ? naturalFirst(lo, length) : firstBe;
  const last = lastBe === -1 ? naturalLast(lo, length) : lastBe;
  if ((first | last) & ~0xf) return 'enables have four bits';
  if (length === 0) return (first | last) === 0 ? null : 'a request of no bytes has no byte enabled';
  const dwords = dwordBytes(lo, length) >> 2;
  if (dwords === 1) return oneDword(lo, length, first, last);
  if (first === 0 || last === 0) return 'a request of several dwords enables a byte of the first and of the last';
  if (lowest(first) !== (lo & 3)) return 'the first enabled byte is not the first byte of the request';
  if (highest(last) !== ((lo + length - 1) & 3)) return 'the last enabled byte is not the last byte of the request';
  if (dwords === 2 && (lo & 4) === 0) return null;
  if (first !== naturalFirst(lo, length) || last !== naturalLast(lo, length)) return 'the enables have a hole';
  return null;
}

function oneDword(lo: number, length: number, first: number, last: number): string | null {
  if (last !== 0) return 'a request of one dword has last-dword enables of 0';
  if (first === 0) return 'no byte is enabled in a request that has bytes';
  if (lowest(first) !== (lo & 3)) return 'the first enabled byte is not the first byte of the request';
  if (highest(first) !== ((lo + length - 1) & 3)) return 'the last enabled byte is not the last byte of the request';
  return null;
}

function lowest(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

function highest(mask: number): number {
  return 31 - Math.clz32(mask);
}
