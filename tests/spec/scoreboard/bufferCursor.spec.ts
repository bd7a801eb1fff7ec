import { expect } from 'chai';
import fc from 'fast-check';
import { BufferCursor } from '../../../scoreboard/memory/bufferCursor.ts';

const PAGE = 4096;
const MOST = 40 * PAGE;

function placeOf(c: BufferCursor): number[] {
  return [c.hi, c.page, c.offset, c.left];
}

describe('BufferCursor', () => {
  it('skips as it advances, page by page, over runs and over 4 GiB', () => {
    const entry = fc.record({ lo: fc.nat(MOST), length: fc.nat(MOST), high: fc.boolean() });
    const lists = fc.array(entry, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const words = new Int32Array(list.flatMap(({ lo, length, high }) => [3, high ? -MOST + lo : lo, length]));
        const total = list.reduce((sum, { length }) => sum + length, 0);
        const n = Math.floor(total * share);
        const [jumps, steps] = [new BufferCursor(), new BufferCursor()];
        for (const c of [jumps, steps]) c.startList(0, 0, words, 0, list.length);
        expect(jumps.skip(n)).to.equal(true);
        for (let left = n; left > 0 && steps.load(); ) {
          const step = Math.min(left, steps.left, PAGE - steps.offset);
          steps.advance(step);
          left -= step;
        }
        if (n === total) return;
        jumps.load();
        steps.load();
        expect(placeOf(jumps)).to.deep.equal(placeOf(steps));
      }),
    );
  });

  it('says when a list ends before', () => {
    const c = new BufferCursor();
    c.startList(0, 0, new Int32Array([0, 10, 20]), 0, 1);
    expect(c.skip(21)).to.equal(false);
  });

  it('jumps over half of the address space at once', () => {
    const c = new BufferCursor();
    c.startRange(0, 0, 0x8000, 0x7fff_f123, 2 ** 31);
    expect(c.skip(2 ** 31 - 1)).to.equal(true);
    expect(placeOf(c)).to.deep.equal([0x8000, 0xffff_f122 >>> 12, 0x122, 1]);
  });
});
