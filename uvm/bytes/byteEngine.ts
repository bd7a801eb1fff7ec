/**
 * What the byte store needs from an implementation: one growing linear memory and the operations on it.
 *
 * Offsets and lengths are 32-bit integers; offsets of 2^31 and above arrive as negative numbers (`offset | 0`). The
 * functions check nothing. What each does is said at the `ByteStore` method of the same name.
 */
export interface ByteEngine {
  readonly implementation: 'wasm' | 'js';
  /** First byte free for use; what lies below belongs to the implementation. */
  readonly base: number;
  /** The memory now. Replaced by `grow`, after which the old buffer must not be used. */
  buffer(): ArrayBuffer;
  /** Makes the memory at least `bytes` long, contents kept. @throws RangeError when the machine refuses. */
  grow(bytes: number): void;
  readonly copy: (dst: number, src: number, n: number) => void;
  readonly zero: (off: number, n: number) => void;
  /** 1 or 0. */
  readonly equal: (a: number, b: number, n: number) => number;
  readonly firstDifference: (a: number, b: number, n: number) => number;
  /** The result may be negative. */
  readonly crc32: (crc: number, off: number, n: number) => number;
  readonly fillSeeded: (key: number, position: number, off: number, n: number) => void;
  /** 1 or 0. */
  readonly equalSeeded: (key: number, position: number, off: number, n: number) => number;
  readonly firstDifferenceSeeded: (key: number, position: number, off: number, n: number) => number;
  readonly hashInto: (state: number, off: number, n: number) => void;
  readonly hashWords: (state: number, a: number, b: number, c: number, d: number, e: number) => void;
  readonly hashMessage: HashMessage;
  readonly copyHashed: CopyHashed;
  readonly fillHashed: FillHashed;
}

/** Words and bytes of a message folded into a state at once. */
export type HashMessage = (
  state: number,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  off: number,
  n: number,
) => void;

/** As `HashMessage`, and the bytes are copied too. */
export type CopyHashed = (
  state: number,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  dst: number,
  src: number,
  n: number,
) => void;

/** As `HashMessage`, of the seeded contents at (key, position), which are written to `dst` too. */
export type FillHashed = (
  state: number,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  key: number,
  position: number,
  dst: number,
  n: number,
) => void;

/** Granule of memory growth, a WebAssembly page. */
export const GROWTH_UNIT = 65536;
