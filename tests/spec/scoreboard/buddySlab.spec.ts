import { expect } from 'chai';
import fc from 'fast-check';
import { BuddySlab } from '../../../scoreboard/memory/buddySlab.ts';

describe('BuddySlab', () => {
  it('never hands out overlapping blocks and keeps their contents, for any sequence of calls', () => {
    const op = fc.tuple(fc.constantFrom('alloc', 'release', 'enlarge'), fc.integer({ min: 3, max: 13 }), fc.nat());
    fc.assert(
      fc.property(fc.array(op, { maxLength: 120 }), (ops) => {
        const slab = new BuddySlab();
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

  it('reuses what lists leave behind that grow in step', () => {
    const slab = new BuddySlab();
    let blocks = Array.from({ length: 1000 }, () => slab.alloc(3));
    let end = 0;
    for (let log2 = 3; log2 < 7; log2++) {
      blocks = blocks.map((at) => slab.enlarge(at, log2));
      end = Math.max(end, ...blocks.map((at) => at + (2 << log2)));
    }
    expect(end).to.be.below(1000 * 128 * 1.5);
  });

  it('joins everything again when all is released', () => {
    const slab = new BuddySlab();
    const blocks = Array.from({ length: 512 }, () => slab.alloc(3));
    for (const at of blocks) slab.release(at, 3);
    const before = slab.words.length;
    slab.alloc(12);
    expect(slab.words.length).to.equal(before);
  });
});
