/**
 * The general generator that goal 10 compares with: fast-check's `sample()` of a work request of the same shape.
 *
 * fast-check is a development package; it is loaded by name at run time, so that the build does without it.
 */

/** Makes so many requests and returns their number. */
export type Sampler = (count: number) => number;

/** The part of fast-check in use. */
interface FastCheck {
  constantFrom(...values: number[]): unknown;
  integer(range: { min: number; max: number }): unknown;
  nat(max: number): unknown;
  record(fields: Readonly<Record<string, unknown>>): unknown;
  array(item: unknown, sizes: { minLength: number; maxLength: number }): unknown;
  sample(arbitrary: unknown, options: { numRuns: number; seed: number }): unknown[];
}

const PACKAGE = 'fast-check';
/** Requests of one call; its set-up is shared among them. */
const CHUNK = 1000;

/** Undefined where fast-check is not installed. */
export async function loadSampler(): Promise<Sampler | undefined> {
  const fc = await load();
  if (fc === undefined) return undefined;
  const request = requestOf(fc);
  return (count) => {
    let made = 0;
    while (made < count) made += fc.sample(request, { numRuns: CHUNK, seed: made }).length;
    return made;
  };
}

function requestOf(fc: FastCheck): unknown {
  const piece = fc.record({
    gap: fc.integer({ min: 0, max: 63 }),
    length: fc.integer({ min: 0, max: 680 }),
    key: fc.nat(0xffff_ffff),
  });
  return fc.record({
    opcode: fc.constantFrom(0, 1, 2, 3, 4),
    pair: fc.integer({ min: 0, max: 8191 }),
    pieces: fc.array(piece, { minLength: 1, maxLength: 6 }),
  });
}

async function load(): Promise<FastCheck | undefined> {
  try {
    const module = (await import(PACKAGE)) as { readonly default: FastCheck };
    return module.default;
  } catch {
    return undefined;
  }
}
