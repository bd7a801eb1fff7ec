import { expect } from 'chai';
import fc from 'fast-check';
import { NO_PAGE, PAGE_STRIDE_LOG2 } from '../../../scoreboard/dataPages.ts';
import { OpenRanges } from '../../../scoreboard/openRanges.ts';

const SPACE = 60;
/** Offset of the tested page, as `DataPages` names it. */
const PAGE = 7 << PAGE_STRIDE_LOG2;
const OTHER = 8 << PAGE_STRIDE_LOG2;

type Range = readonly [from: number, to: number];

/** One depth per position. */
class Naive {
  readonly depth = new Array<number>(SPACE).fill(0);
  change(from: number, to: number, delta: number): void {
    for (let i = from; i < to; i++) this.depth[i] = (this.depth[i] as number) + delta;
  }
  covers(from: number, to: number): boolean {
    return this.depth.slice(from, to).every((d) => d > 0);
  }
  touches(from: number, to: number): boolean {
    return this.depth.slice(from, to).some((d) => d > 0);
  }
  boundary(from: number, to: number): number {
    for (let i = from + 1; i < to; i++) if (this.covers(i, i + 1) !== this.covers(from, from + 1)) return i;
    return to;
  }
}

/** Both, changed alike. */
class World {
  readonly ranges = new OpenRanges();
  readonly naive = new Naive();

  add(from: number, to: number): void {
    this.ranges.add(PAGE, from, to);
    this.naive.change(from, to, 1);
  }

  remove(from: number, to: number): void {
    this.ranges.remove(PAGE, from, to);
    this.naive.change(from, to, -1);
  }

  check(from: number, to: number): void {
    expect(this.ranges.covers(PAGE, from, to), `covers ${from}-${to}`).to.equal(this.naive.covers(from, to));
    expect(this.ranges.touches(PAGE, from, to), `touches ${from}-${to}`).to.equal(this.naive.touches(from, to));
    expect(this.ranges.boundary(PAGE, from, to), `from ${from}`).to.equal(this.naive.boundary(from, to));
  }

  checkAll(): void {
    for (let i = 0; i < SPACE; i++) this.check(i, i + 1);
  }
}

describe('OpenRanges', () => {
  const range: fc.Arbitrary<Range> = fc
    .tuple(fc.nat(SPACE - 1), fc.integer({ min: 1, max: 20 }))
    .map(([from, n]) => [from, Math.min(SPACE, from + n)] as const);

  it('says nothing is open in a page that was never used', () => {
    const r = new OpenRanges();
    for (const page of [NO_PAGE, PAGE, 100_000 << PAGE_STRIDE_LOG2]) {
      expect(r.covers(page, 0, 1)).to.equal(false);
      expect(r.touches(page, 0, 4096)).to.equal(false);
      expect(r.boundary(page, 3, 10)).to.equal(10);
      expect(r.count(page)).to.equal(0);
    }
  });

  it('keeps pages apart', () => {
    const r = new OpenRanges();
    r.add(PAGE, 0, 4096);
    expect(r.covers(PAGE, 0, 4096)).to.equal(true);
    expect(r.touches(OTHER, 0, 4096)).to.equal(false);
    r.remove(OTHER, 0, 4096);
    expect(r.covers(PAGE, 4095, 4096)).to.equal(true);
  });

  it('lets a write go over adjacent ranges, but not over a gap or an end', () => {
    const r = new OpenRanges();
    for (const i of [0, 3, 1, 2]) r.add(PAGE, i * 10, i * 10 + 10);
    expect(r.covers(PAGE, 5, 40)).to.equal(true);
    expect(r.covers(PAGE, 5, 41)).to.equal(false);
    r.remove(PAGE, 10, 20);
    expect(r.covers(PAGE, 5, 25)).to.equal(false);
    expect(r.covers(PAGE, 20, 40)).to.equal(true);
  });

  it('keeps bytes open that two ranges share until both are closed', () => {
    const r = new OpenRanges();
    r.add(PAGE, 0, 10);
    r.add(PAGE, 0, 10);
    r.add(PAGE, 5, 15);
    r.remove(PAGE, 0, 10);
    r.remove(PAGE, 0, 10);
    expect(r.covers(PAGE, 5, 15)).to.equal(true);
    expect(r.touches(PAGE, 0, 5)).to.equal(false);
    r.remove(PAGE, 5, 15);
    expect(r.touches(PAGE, 0, 4096)).to.equal(false);
  });

  it('stays small while ranges come and go like a queue', () => {
    const r = new OpenRanges();
    for (let i = 0; i < 100_000; i++) {
      const at = (i % 200) * 20;
      r.add(PAGE, at, at + 10);
      expect(r.covers(PAGE, at, at + 10)).to.equal(true);
      if (i >= 30) r.remove(PAGE, ((i - 30) % 200) * 20, ((i - 30) % 200) * 20 + 10);
    }
    expect(r.count(PAGE)).to.equal(30);
  });

  it('agrees with one counter per position for any sequence of ranges', () => {
    const changes = fc.array(fc.tuple(fc.boolean(), range), { maxLength: 60 });
    fc.assert(
      fc.property(changes, fc.array(range, { minLength: 8 }), (ops, probes) => {
        const w = new World();
        const open: Range[] = [];
        for (const [isAdd, [from, to]] of ops) {
          if (isAdd || open.length === 0) {
            w.add(from, to);
            open.push([from, to]);
          } else {
            const [a, b] = open.splice(from % open.length, 1)[0] as Range;
            w.remove(a, b);
          }
          expect(w.ranges.count(PAGE)).to.equal(open.length);
          w.check(from, to);
        }
        for (const [from, to] of probes) w.check(from, to);
        w.checkAll();
      }),
      { numRuns: 400 },
    );
  });

  it('agrees with it when ranges are closed in other pieces than they were opened in', () => {
    const changes = fc.array(fc.tuple(fc.boolean(), range), { maxLength: 60 });
    fc.assert(
      fc.property(changes, (ops) => {
        const w = new World();
        for (const [isAdd, [from, to]] of ops) {
          if (isAdd) w.add(from, to);
          else if (w.naive.covers(from, to)) w.remove(from, to);
          w.check(from, to);
        }
        w.checkAll();
      }),
      { numRuns: 400 },
    );
  });
});
