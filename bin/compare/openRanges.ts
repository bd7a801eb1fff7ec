/**
 * Bytes of memory that requests read or write. Where requests of several queues do, or several of one queue at a time, it is for
 * the NICs whose bytes come first, and nothing can be said of what is there.
 */

/** Virtual memory of a process. */
export interface Space {
  readonly host: number;
  readonly process: number;
}

/** A range that a request reads or writes until it completes. */
export interface OpenRange {
  readonly space: Space;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** Whose requests come one after another. */
  readonly queue: object;
  readonly isWritten: boolean;
  /** Its request has not completed. */
  isOpen: boolean;
  /** Other requests may have come before or after it, as the NICs liked, and one of the two writes. */
  isShared: boolean;
}

/** Ranges are found by pieces of this many bytes. */
const PIECE_BITS = 16;
const PIECE = 2 ** PIECE_BITS;
const LO_VALUES = 2 ** 32;

export class OpenRanges {
  /** One of each kind of those that are the same but for their requests. */
  readonly #byPiece = new Map<string, Map<string, OpenRange>>();

  /** A request is posted. */
  open(queue: object, space: Space, hi: number, lo: number, length: number, isWritten: boolean): OpenRange {
    const range = { space, hi, lo, length, queue, isWritten, isOpen: true, isShared: false };
    const key = `${hi} ${lo} ${length} ${isWritten} ${this.#numberOf(queue)}`;
    for (const piece of piecesOf(range)) {
      const others = this.#byPiece.get(piece) ?? new Map<string, OpenRange>();
      this.#byPiece.set(piece, others);
      for (const other of others.values()) this.#meet(range, other);
      const before = others.get(key);
      // What has been found of the one before holds for this one.
      if (before?.isShared === true && before.queue === queue && !before.isOpen) range.isShared = true;
      others.set(key, range);
    }
    return range;
  }

  #meet(range: OpenRange, other: OpenRange): void {
    if (!(range.isWritten || other.isWritten) || !overlap(range, other)) return;
    if (range.queue === other.queue && !other.isOpen) return;
    range.isShared = true;
    other.isShared = true;
  }

  readonly #queues = new Map<object, number>();

  #numberOf(queue: object): number {
    const known = this.#queues.get(queue) ?? this.#queues.size;
    this.#queues.set(queue, known);
    return known;
  }
}

function* piecesOf({ space, hi, lo, length }: OpenRange): Generator<string> {
  const first = Math.floor(addressOf(hi, lo) / PIECE);
  const last = Math.floor((addressOf(hi, lo) + length - 1) / PIECE);
  for (let piece = first; piece <= last; piece++) yield `${space.host} ${space.process} ${piece}`;
}

function overlap(a: OpenRange, b: OpenRange): boolean {
  const [from, other] = [addressOf(a.hi, a.lo), addressOf(b.hi, b.lo)];
  return from < other + b.length && other < from + a.length;
}

/** Virtual addresses have 48 bits. */
function addressOf(hi: number, lo: number): number {
  return (hi & 0xffff) * LO_VALUES + (lo >>> 0);
}
