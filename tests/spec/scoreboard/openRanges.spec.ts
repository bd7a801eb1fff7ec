import { expect } from 'chai';
import fc from 'fast-check';
import { NO_PAGE, PAGE_STRIDE_LOG2 } from '../../../scoreboard/memory/dataPages.ts';
import { NO_BLOCK, NO_RANGE, OpenRanges } from '../../../scoreboard/memory/ranges/openRanges.ts';
import { SGE_WORDS } from '../../../scoreboard/model/messages.ts';

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

/** Opens one range by itself. */
function openOne(ranges: OpenRanges, page: number, from: number, to: number): number {
  return ranges.open(page, from, to, NO_BLOCK);
}

/** Scatter/gather entries, all in one page. */
function entries(list: readonly Range[]): Int32Array {
  return Int32Array.from(list.flatMap(([from, to]) => [0x8000, (5 << 12) | from, to - from]));
}

/** Opens the ranges of one request. Returns the first block. */
function openAll(ranges: OpenRanges, page: number, list: readonly Range[], sibling = NO_BLOCK): number {
  const sges = entries(list);
  let first = NO_BLOCK;
  let block = sibling;
  for (let at = 0; at < sges.length; at += ranges.size(block) * SGE_WORDS) {
    block = ranges.openEntries(page, sges, at, sges.length, block);
    if (first === NO_BLOCK) first = block;
  }
  return first;
}

/** Both, changed alike. */
class World {
  readonly ranges = new OpenRanges();
  readonly naive = new Naive();

  /** Opens the ranges of one request. */
  open(list: readonly Range[]): number {
    for (const [from, to] of list) this.naive.change(from, to, 1);
    return openAll(this.ranges, PAGE, list);
  }

  close(first: number, list: readonly Range[]): void {
    for (let block = first; block !== NO_BLOCK; ) block = this.ranges.close(block);
    for (const [from, to] of list) this.naive.change(from, to, -1);
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
    openOne(r, PAGE, 0, 4096);
    expect(r.covers(PAGE, 0, 4096)).to.equal(true);
    expect(r.touches(OTHER, 0, 4096)).to.equal(false);
    r.close(openOne(r, OTHER, 0, 4096));
    expect(r.covers(PAGE, 4095, 4096)).to.equal(true);
    expect(r.touches(OTHER, 0, 4096)).to.equal(false);
  });

  it('lets a write go over adjacent ranges, but not over a gap or an end', () => {
    const r = new OpenRanges();
    const blocks = [0, 3, 1, 2].map((i) => openOne(r, PAGE, i * 10, i * 10 + 10));
    expect(r.covers(PAGE, 5, 40)).to.equal(true);
    expect(r.covers(PAGE, 5, 41)).to.equal(false);
    r.close(blocks[2] as number);
    expect(r.covers(PAGE, 5, 25)).to.equal(false);
    expect(r.covers(PAGE, 20, 40)).to.equal(true);
  });

  it('keeps bytes open that two ranges share until both are closed', () => {
    const r = new OpenRanges();
    const shared = [openOne(r, PAGE, 0, 10), openOne(r, PAGE, 0, 10)];
    const other = openOne(r, PAGE, 5, 15);
    for (const block of shared) r.close(block);
    expect(r.covers(PAGE, 5, 15)).to.equal(true);
    expect(r.touches(PAGE, 0, 5)).to.equal(false);
    r.close(other);
    expect(r.touches(PAGE, 0, 4096)).to.equal(false);
  });

  it('stays small while ranges come and go like a queue', () => {
    const r = new OpenRanges();
    const blocks: number[] = [];
    for (let i = 0; i < 100_000; i++) {
      const at = (i % 200) * 20;
      blocks.push(openOne(r, PAGE, at, at + 10));
      expect(r.covers(PAGE, at, at + 10)).to.equal(true);
      if (i >= 30) r.close(blocks.shift() as number);
    }
    expect(r.count(PAGE)).to.equal(30);
  });

  it('lets a range be written in parts, and the ranges of a request in any order', () => {
    const r = new OpenRanges();
    const block = openAll(r, PAGE, [
      [0, 512],
      [1000, 1512],
    ]);
    for (const at of [0, 128, 256, 384, 1000, 1256, 0, 1000]) expect(r.covers(PAGE, at, at + 128)).to.equal(true);
    expect(r.covers(PAGE, 400, 520)).to.equal(false);
    r.close(block);
    expect(r.touches(PAGE, 0, 4096)).to.equal(false);
  });

  const long = Array.from({ length: 25 }, (_, i): Range => [i * 100, i * 100 + 10]);

  it('says what a block holds, and which one comes behind it', () => {
    const r = new OpenRanges();
    const first = openOne(r, PAGE, 1, 2);
    openAll(r, OTHER, long, first);
    const found: Range[] = [];
    for (let block = r.close(first); block !== NO_BLOCK; block = r.close(block)) {
      expect(r.page(block)).to.equal(OTHER);
      for (let i = 0; i < r.size(block); i++) found.push([r.from(block, i), r.to(block, i)]);
    }
    expect(found).to.deep.equal(long);
    expect(r.count(OTHER)).to.equal(0);
  });

  it('goes through the ranges of a request over its blocks', () => {
    const r = new OpenRanges();
    const first = openOne(r, PAGE, 0, 40);
    expect(r.last(openAll(r, OTHER, long, first))).to.equal(r.last(first));
    const found: [page: number, from: number][] = [];
    for (let at = r.firstRange(first); at !== NO_RANGE; at = r.rangeAt(at + 1))
      found.push([r.pageOf(at), (r.words[at] as number) & 4095]);
    expect(found).to.deep.equal([[PAGE, 0], ...long.map(([from]) => [OTHER, from])]);
    expect(r.pageOf(r.rangeBehind(r.firstRange(first), 40))).to.equal(OTHER);
    expect(r.rangeBehind(r.firstRange(first), 39)).to.equal(NO_RANGE);
    expect(r.rangeBehind(NO_RANGE, 1)).to.equal(NO_RANGE);
    expect(r.firstRange(NO_BLOCK)).to.equal(NO_RANGE);
  });

  it('opens of a list what lies in the same page', () => {
    const r = new OpenRanges();
    const sges = entries([
      [0, 10],
      [20, 30],
      [4090, 4097],
      [40, 50],
    ]);
    const end = sges.length;
    expect(r.size(r.openEntries(PAGE, sges, 0, end, NO_BLOCK))).to.equal(2);
    sges[SGE_WORDS] = 0x8001;
    expect(r.size(r.openEntries(PAGE, sges, 0, end, NO_BLOCK))).to.equal(1);
    expect(r.covers(PAGE, 20, 30)).to.equal(true);
    expect(r.covers(PAGE, 40, 50)).to.equal(false);
  });

  it('agrees with one counter per position for any sequence of requests', () => {
    const list = fc.array(range, { minLength: 1, maxLength: 14 });
    const changes = fc.array(fc.tuple(fc.boolean(), fc.nat(), list), { maxLength: 40 });
    fc.assert(
      fc.property(changes, fc.array(range, { minLength: 8 }), (ops, probes) => {
        const w = new World();
        const open: [block: number, list: readonly Range[]][] = [];
        for (const [isOpen, pick, ranges] of ops) {
          if (isOpen || open.length === 0) open.push([w.open(ranges), ranges]);
          else w.close(...(open.splice(pick % open.length, 1)[0] as [number, readonly Range[]]));
          expect(w.ranges.count(PAGE)).to.equal(open.reduce((n, [, l]) => n + l.length, 0));
          for (const [from, to] of ranges) w.check(from, to);
        }
        for (const [from, to] of probes) w.check(from, to);
        w.checkAll();
      }),
      { numRuns: 400 },
    );
  });
});
