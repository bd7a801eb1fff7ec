import { expect } from 'chai';
import fc from 'fast-check';
import { RangeDepths } from '../../../scoreboard/rangeDepths.ts';

const SPACE = 60;

/** One depth per position. */
class Naive {
  readonly depth = new Array<number>(SPACE).fill(0);
  add(from: number, to: number, delta: number): void {
    for (let i = from; i < to; i++) this.depth[i] = (this.depth[i] as number) + delta;
  }
  max(from: number, to: number): number {
    return Math.max(0, ...this.depth.slice(from, to));
  }
  covers(from: number, to: number): boolean {
    return from < to && this.depth.slice(from, to).every((d) => d > 0);
  }
  steps(): number {
    return [...this.depth, 0].filter((d, i) => d !== (i > 0 ? this.depth[i - 1] : 0)).length;
  }
}

describe('RangeDepths', () => {
  it('keeps 180 adjacent ranges as one interval', () => {
    const d = new RangeDepths();
    for (let i = 0; i < 180; i++) d.add(7, i * 10, i * 10 + 10);
    expect(d.steps(7)).to.equal(2);
    expect(d.intervals(7)).to.deep.equal([[0, 1800]]);
    expect(d.covers(7, 5, 1800)).to.equal(true);
    expect(d.covers(7, 5, 1801)).to.equal(false);
  });

  it('stays small while ranges come and go like a queue', () => {
    const d = new RangeDepths();
    for (let i = 0; i < 100_000; i++) {
      d.add(0, i * 20, i * 20 + 10);
      if (i >= 30) d.remove(0, (i - 30) * 20, (i - 30) * 20 + 10);
    }
    expect(d.steps(0)).to.equal(60);
  });

  it('says nothing is covered in a set that was never used', () => {
    const d = new RangeDepths();
    expect(d.covers(100_000, 0, 1)).to.equal(false);
    expect(d.maxDepth(100_000, 0, 10)).to.equal(0);
    expect(d.boundary(100_000, 3, 10)).to.equal(10);
  });

  it('counts overlapping ranges', () => {
    const d = new RangeDepths();
    d.add(0, 0, 10);
    d.add(0, 5, 15);
    expect(d.maxDepth(0, 0, 5)).to.equal(1);
    expect(d.maxDepth(0, 0, 6)).to.equal(2);
    d.remove(0, 0, 10);
    expect(d.intervals(0)).to.deep.equal([[5, 15]]);
  });

  it('agrees with one counter per position for any sequence of ranges', () => {
    const range = fc.tuple(fc.nat(SPACE - 1), fc.nat(20)).map(([a, n]) => [a, Math.min(SPACE, a + n)] as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), range), { maxLength: 60 }),
        fc.array(range, { minLength: 8 }),
        (ops, probes) => {
          const d = new RangeDepths();
          const naive = new Naive();
          const open: (readonly [number, number])[] = [];
          for (const [isAdd, [from, to]] of ops) {
            if (isAdd || open.length === 0) {
              d.add(1, from, to);
              naive.add(from, to, 1);
              open.push([from, to]);
            } else {
              const [a, b] = open.splice(from % open.length, 1)[0] as readonly [number, number];
              d.remove(1, a, b);
              naive.add(a, b, -1);
            }
            expect(d.steps(1)).to.equal(naive.steps());
          }
          for (const [from, to] of probes) {
            if (from === to) continue;
            expect(d.maxDepth(1, from, to)).to.equal(naive.max(from, to));
            expect(d.covers(1, from, to)).to.equal(naive.covers(from, to));
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
