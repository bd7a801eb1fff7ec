import { expect } from 'chai';
import fc from 'fast-check';
import {
  FORGOTTEN,
  fromOf,
  HASHED,
  isCarriedOn,
  LAST_SHIFT,
  LOWER_SHIFT,
  RULE_FORGOTTEN,
  RULE_HASHED,
  RULE_SHIFT,
  sourceOf,
  toOf,
  UPPER_SHIFT,
  withLast,
} from '../../../scoreboard/memory/verifiedRecord.ts';

/** A range of a page that is not empty. */
const range = fc.tuple(fc.nat(4095), fc.nat(4095)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }));
const page = fc.nat((1 << 21) - 1);

/** The two words of bytes that come from `position` of source page number `number` on. */
function seeded(from: number, to: number, number: number, position: number): Int32Array {
  const source = number << 5;
  const head = from | ((to - 1) << LAST_SHIFT) | ((source >>> UPPER_SHIFT) << RULE_SHIFT);
  return Int32Array.of(head, (source << LOWER_SHIFT) | position);
}

describe('a verified record', () => {
  it('gives back its range, also with another end', () => {
    fc.assert(
      fc.property(range, range, ({ from, to }, other) => {
        const head = from | ((to - 1) << LAST_SHIFT) | RULE_FORGOTTEN;
        expect([fromOf(head), toOf(head)]).to.deep.equal([from, to]);
        const longer = withLast(head, other.to - 1);
        expect([fromOf(longer), toOf(longer)]).to.deep.equal([from, other.to]);
        expect(sourceOf(Int32Array.of(longer, 0), 0)).to.equal(FORGOTTEN);
      }),
    );
  });

  it('tells seeded, hashed and forgotten bytes apart', () => {
    expect(sourceOf(Int32Array.of(7 | RULE_HASHED, 3), 0)).to.equal(HASHED);
    fc.assert(
      fc.property(range, page, fc.nat(4095), ({ from, to }, number, position) => {
        expect(sourceOf(seeded(from, to, number, position), 0)).to.equal(number << 5);
      }),
    );
  });

  it('is carried on by bytes that follow it here and in its source page, and by no others', () => {
    const first = seeded(100, 200, 9, 1000);
    const next = (from: number, number: number, position: number): boolean => {
      const [head = 0, value = 0] = seeded(from, from + 10, number, position);
      return isCarriedOn(first, 0, head, value);
    };
    expect(next(200, 9, 1100)).to.equal(true);
    expect([next(201, 9, 1100), next(200, 9, 1101), next(200, 10, 1100)]).to.deep.equal([false, false, false]);
  });
});
