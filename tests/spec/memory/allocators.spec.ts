import { expect } from 'chai';
import fc from 'fast-check';
import { IndexAllocator } from '../../../env/memory/indexAllocator.ts';
import { RangeAllocator } from '../../../env/memory/rangeAllocator.ts';

describe('IndexAllocator', () => {
  it('begins where it is told and wraps to the lowest number', () => {
    const numbers = new IndexAllocator(0, 8191, 8190);
    expect([numbers.alloc(), numbers.alloc(), numbers.alloc()]).to.deep.equal([8190, 8191, 0]);
  });

  it('hands out every number once and then says it is full', () => {
    const numbers = new IndexAllocator(0, 8191, 254);
    const seen = new Set<number>();
    for (let i = 0; i < 8192; i++) seen.add(numbers.alloc());
    expect(seen.size).to.equal(8192);
    expect(numbers.alloc()).to.equal(-1);
  });

  it('respects a limit below the range', () => {
    const numbers = new IndexAllocator(1, 100, 14, 2);
    numbers.alloc();
    numbers.alloc();
    expect(numbers.alloc()).to.equal(-1);
  });

  it('names the largest number that is free', () => {
    const numbers = new IndexAllocator(1, 4, 4);
    const named = [numbers.highestFree()];
    for (let n = 0; n < 4; n++) {
      numbers.alloc();
      named.push(numbers.highestFree());
    }
    numbers.free(2);
    expect([...named, numbers.highestFree()]).to.deep.equal([4, 3, 3, 3, -1, 2]);
  });

  it('reuses a number as late as possible', () => {
    const numbers = new IndexAllocator(1, 4);
    const first = numbers.alloc();
    numbers.free(first);
    expect([numbers.alloc(), numbers.alloc(), numbers.alloc(), numbers.alloc()]).to.deep.equal([2, 3, 4, 1]);
  });

  it('begins anew one number further, once none is in use', () => {
    const numbers = new IndexAllocator(1, 4, 3);
    const first = numbers.alloc();
    expect(() => numbers.restart()).to.throw(RangeError, '1 numbers are in use');
    numbers.free(first);
    numbers.restart();
    expect(numbers.alloc()).to.equal(4);
    numbers.free(4);
    numbers.restart();
    expect(numbers.alloc()).to.equal(1);
  });

  it('never hands out a number in use, under any order of frees', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 200 }), (steps) => {
        const numbers = new IndexAllocator(5, 20);
        const held: number[] = [];
        for (const step of steps) {
          if (step < 12) {
            const n = numbers.alloc();
            if (n < 0) expect(held.length).to.equal(16);
            else {
              expect(held).to.not.include(n);
              held.push(n);
            }
          } else if (held.length > 0) numbers.free(held.splice(step % held.length, 1)[0] as number);
          expect(numbers.inUse).to.equal(held.length);
        }
      }),
    );
  });

  it('refuses to free what is not in use', () => {
    expect(() => new IndexAllocator(1, 4).free(2)).to.throw(RangeError);
  });
});

describe('RangeAllocator', () => {
  it('never lets ranges overlap and uses all of the space', () => {
    const step = fc.record({ size: fc.integer({ min: 1, max: 30 }), free: fc.boolean(), which: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const ranges = new RangeAllocator(256);
        const owner = new Array<number>(256).fill(0);
        const held: (readonly [number, number])[] = [];
        steps.forEach(({ size, free, which }, id) => {
          if (free && held.length > 0) {
            const [start, count] = held.splice(which % held.length, 1)[0] as readonly [number, number];
            ranges.free(start, count);
            owner.fill(0, start, start + count);
          } else {
            const start = ranges.alloc(size);
            const possible = longestGap(owner) >= size;
            expect(start >= 0).to.equal(possible);
            if (start < 0) return;
            expect(owner.slice(start, start + size).every((o) => o === 0)).to.equal(true);
            owner.fill(id + 1, start, start + size);
            held.push([start, size]);
          }
          expect(ranges.inUse).to.equal(owner.filter((o) => o !== 0).length);
        });
        for (const [start, count] of held) ranges.free(start, count);
        expect([ranges.inUse, ranges.top]).to.deep.equal([0, 0]);
      }),
    );
  });

  it('counts up while nothing is freed', () => {
    const ranges = new RangeAllocator(100);
    expect([ranges.alloc(1), ranges.alloc(5), ranges.alloc(1)]).to.deep.equal([0, 1, 6]);
  });

  it('refuses a second free', () => {
    const ranges = new RangeAllocator(10);
    ranges.alloc(4);
    ranges.alloc(2);
    ranges.free(0, 4);
    expect(() => ranges.free(1, 1)).to.throw(RangeError);
    expect(() => ranges.free(8, 1)).to.throw(RangeError);
  });
});

function longestGap(owner: readonly number[]): number {
  let best = 0;
  let run = 0;
  for (const o of owner) {
    run = o === 0 ? run + 1 : 0;
    best = Math.max(best, run);
  }
  return best;
}
