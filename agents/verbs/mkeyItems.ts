/** What is told of memory keys that requests change: windows, and regions that requests register. */

/** What such a key is of. */
export const MKEY = { window1: 1, window2: 2, region: 3 } as const;
export type MkeyKind = (typeof MKEY)[keyof typeof MKEY];
export const MKEY_NAME = ['', 'window of type 1', 'window of type 2', 'fast-registered region'] as const;

/** A key without its tag: what stays the same when requests give it another one. Keys of such objects always have tags of 8 bits. */
export function mkeyIndex(key: number): number {
  return key >>> 8;
}

/** One was made; it opens nothing yet. */
export interface MkeyInfo {
  readonly host: number;
  readonly process: number;
  readonly pd: number;
  /** The key that it was made with. */
  readonly key: number;
  readonly kind: MkeyKind;
  /** Pages that a region has room for; 0 of windows. */
  readonly maxPages: number;
}
