/** What receives are, whoever's queue they lie in. */

/** What comes of asking for one. `error`: software has left no way to the ring; `failed`: the ring could not be read. */
export const RECV = { taken: 0, wait: 1, empty: 2, error: 3, failed: 4 } as const;

/**
 * Sum of the scatter entries of a receive, up to the zero segment that ends them.
 * @param wqe byte-store offset
 * @param bytes that it may have
 */
export function scatterRoom(w: Int32Array, wqe: number, bytes: number): number {
  let room = 0;
  const end = (wqe + bytes) >> 2;
  for (let d = (wqe >> 2) + 4; d < end && !isEmptySegment(w, d); d += 4) room += w[d] as number;
  return room;
}

/** Whether the segment at dword `d` is the one that ends a list. */
export function isEmptySegment(w: Int32Array, d: number): boolean {
  return w[d] === 0 && w[d + 1] === 0 && w[d + 2] === 0 && w[d + 3] === 0;
}
