/** Covering arrays of strength two: few rows in which each value of each axis meets each value of every other one. */

/** Values of the axes by their positions; -1 while a row is made: none yet. */
type Row = readonly number[];

/** Rows that are tried for a pair before it counts as impossible. */
const MOST_TRIES = 64;

/**
 * Rows in a fixed order: the same for the same sizes and rules, on every machine. Each row begins with the first pair that no row has
 * yet, and takes for each further axis the value that brings most new pairs, the earliest of equals.
 * @param sizes values of each axis, at least one each
 * @param isPossible whether a row may be used: where none with a pair may, the pair is left out
 */
export function pairwise(sizes: readonly number[], isPossible: (row: Row) => boolean = () => true): Row[] {
  if (sizes.length < 2)
    return Array.from({ length: sizes[0] ?? 1 }, (_, value) => sizes.map(() => value)).filter(isPossible);
  const open = new OpenPairs(sizes);
  const rows: Row[] = [];
  for (let pair = open.first(); pair !== undefined; pair = open.first()) {
    const row = rowWith(pair, sizes, open, isPossible);
    if (row !== undefined) rows.push(row);
    open.close(row ?? []);
    // Impossible, or met by the row.
    open.closePair(pair);
  }
  return rows;
}

/** Pairs of values of two axes, all of which some row is to have. */
export function pairCount(sizes: readonly number[]): number {
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sizes.reduce((pairs, size) => pairs + size * (sum - size), 0) / 2;
}

interface Pair {
  readonly a: number;
  readonly i: number;
  readonly b: number;
  readonly j: number;
}

/** A row with a pair that may be used; undefined where none was found. */
function rowWith(
  pair: Pair,
  sizes: readonly number[],
  open: OpenPairs,
  isPossible: (row: Row) => boolean,
): Row | undefined {
  for (let turn = 0; turn < MOST_TRIES; turn++) {
    const row = sizes.map(() => -1);
    row[pair.a] = pair.i;
    row[pair.b] = pair.j;
    for (const [axis, size] of sizes.entries()) {
      if (row[axis] !== -1) continue;
      const values = Array.from({ length: size }, (_, value) => value);
      const ranked = values
        .map((value) => ({ value, gain: open.gain(row, axis, value) }))
        .sort((x, y) => y.gain - x.gain || x.value - y.value);
      // Each further try takes other values than the best ones, an axis more at a time.
      row[axis] = (ranked[(turn >> (axis % 6)) % size] as { value: number }).value;
    }
    if (isPossible(row)) return row;
  }
  return undefined;
}

/** Pairs of values of two axes that no row has. */
class OpenPairs {
  readonly #sizes: readonly number[];
  readonly #open = new Set<string>();

  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
    for (let a = 0; a < sizes.length; a++)
      for (let b = a + 1; b < sizes.length; b++)
        for (let i = 0; i < (sizes[a] as number); i++)
          for (let j = 0; j < (sizes[b] as number); j++) this.#open.add(`${a},${i},${b},${j}`);
  }

  first(): Pair | undefined {
    for (const key of this.#open) {
      const [a = 0, i = 0, b = 0, j = 0] = key.split(',').map(Number);
      return { a, i, b, j };
    }
    return undefined;
  }

  /** Open pairs that a value brings into a row. */
  gain(row: Row, axis: number, value: number): number {
    let count = 0;
    for (const [other, at] of row.entries())
      if (at !== -1 && other !== axis && this.#open.has(keyOf(axis, value, other, at))) count++;
    return count;
  }

  /** A row has all pairs of its values. */
  close(row: Row): void {
    for (const [a, i] of row.entries())
      for (let b = a + 1; b < this.#sizes.length; b++) this.#open.delete(keyOf(a, i, b, row[b] as number));
  }

  closePair({ a, i, b, j }: Pair): void {
    this.#open.delete(keyOf(a, i, b, j));
  }
}

function keyOf(a: number, i: number, b: number, j: number): string {
  return a < b ? `${a},${i},${b},${j}` : `${b},${j},${a},${i}`;
}
