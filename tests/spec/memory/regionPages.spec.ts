import { expect } from 'chai';
import fc from 'fast-check';
import { RegionPages } from '../../../env/memory/regionPages.ts';

describe('RegionPages', () => {
  it('hold the pages of every run that was added more often than removed, of its process and under its upper half only', () => {
    const run = fc.record({
      hi: fc.integer({ min: 0, max: 5 }),
      first: fc.nat(8),
      length: fc.integer({ min: 1, max: 4 }),
    });
    const step = fc.record({ run, added: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pages = new RegionPages();
        const kept: { hi: number; first: number; end: number }[] = [];
        for (const { run, added } of steps) {
          const { hi, first } = run;
          const end = first + run.length;
          if (added) {
            pages.add(hi >> 1, hi & 1, first, end);
            kept.push({ hi, first, end });
          } else {
            pages.remove(hi >> 1, hi & 1, first, end);
            const at = kept.findIndex((r) => r.hi === hi && r.first === first && r.end === end);
            if (at >= 0) kept.splice(at, 1);
          }
        }
        for (let hi = 0; hi <= 5; hi++) {
          for (let page = 0; page < 14; page++) {
            const expected = kept.some((r) => r.hi === hi && page >= r.first && page < r.end);
            expect(pages.holds(hi >> 1, hi & 1, page)).to.equal(expected);
          }
        }
      }),
    );
  });

  it('find each of thousands of runs, and none of those that have gone', () => {
    const pages = new RegionPages();
    const count = 5000;
    for (let i = 0; i < count; i++) pages.add(1, i >> 2, 8 * (i & 3), 8 * (i & 3) + 3);
    for (let i = 0; i < count; i += 2) pages.remove(1, i >> 2, 8 * (i & 3), 8 * (i & 3) + 3);
    for (let i = 0; i < count; i++) {
      const held = [2, 3].map((k) => pages.holds(1, i >> 2, 8 * (i & 3) + k));
      expect(held).to.deep.equal([i % 2 === 1, false]);
    }
    for (let i = 0; i < count; i += 2) pages.add(1, i >> 2, 8 * (i & 3), 8 * (i & 3) + 3);
    for (let i = 0; i < count; i++) expect(pages.holds(1, i >> 2, 8 * (i & 3) + 2)).to.equal(true);
  });
});
