import { expect } from 'chai';
import fc from 'fast-check';
import { Slab } from '../../../scoreboard/model/slab.ts';

describe('Blocks of words in one array', () => {
  it('never hands out overlapping blocks and keeps their contents, for any sequence of calls', () => {
    const op = fc.tuple(fc.constantFrom('alloc', 'release', 'enlarge'), fc.integer({ min: 3, max: 13 }), fc.nat());
    fc.assert(
      fc.property(fc.array(op, { maxLength: 120 }), (ops) => {
        const slab = new Slab();
        const live: { at: number; log2: number; mark: number }[] = [];
        ops.forEach(([what, log2, pick], mark) => {
          if (what === 'alloc' || live.length === 0) {
            const at = slab.alloc(log2);
            slab.words.fill(mark, at, at + (1 << log2));
            live.push({ at, log2, mark });
          } else if (what === 'release') {
            const [block] = live.splice(pick % live.length, 1);
            slab.release(block?.at ?? 0, block?.log2 ?? 0);
          } else {
            const block = live[pick % live.length] as { at: number; log2: number; mark: number };
            block.at = slab.enlarge(block.at, block.log2);
            slab.words.fill(block.mark, block.at + (1 << block.log2), block.at + (2 << block.log2));
            block.log2++;
          }
          for (const b of live) {
            const words = slab.words.subarray(b.at, b.at + (1 << b.log2));
            expect(words.length).to.equal(1 << b.log2);
            expect(words.every((w) => w === b.mark)).to.equal(true);
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it('gives a released block to the next list of its size', () => {
    const slab = new Slab();
    const blocks = Array.from({ length: 512 }, () => slab.alloc(3));
    for (const at of blocks) slab.release(at, 3);
    const again = blocks.map(() => slab.alloc(3));
    expect(new Set(again)).to.deep.equal(new Set(blocks));
  });
});
