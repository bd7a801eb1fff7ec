/** Keys with tags, as software counts them. */

const TAG_MASK = 0xff;

/** The key of the same index with the next tag: for a window or a region that is to be bound or registered anew. @public */
export function nextKey(key: number): number {
  return (key & ~TAG_MASK) | ((key + 1) & TAG_MASK);
}

/** The key of the same index with this tag. @public */
export function withTag(key: number, tag: number): number {
  return (key & ~TAG_MASK) | (tag & TAG_MASK);
}
