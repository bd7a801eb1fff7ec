import { expect } from 'chai';
import fc from 'fast-check';
import { interleave } from '../../../regress/interleave.ts';
import { aJob } from '../support/jobs.ts';

function family(name: string, count: number) {
  return Array.from({ length: count }, (_, i) => aJob({ id: `${name}/${i}`, family: name }));
}

describe('interleave', () => {
  it('is a permutation that depends on nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 5 }), (counts) => {
        const jobs = counts.flatMap((count, i) => family(`f${i}`, count));
        const ids = interleave(jobs).map((j) => j.id);
        expect([...ids].sort()).to.deep.equal(jobs.map((j) => j.id).sort());
        expect(interleave(jobs).map((j) => j.id)).to.deep.equal(ids);
      }),
    );
  });

  it('spreads every family, and the heavy end of each sweep, over all quarters', () => {
    const jobs = interleave([...family('light', 400), ...family('heavy', 100)]);
    for (let quarter = 0; quarter < 4; quarter++) {
      const part = jobs.slice(quarter * 125, (quarter + 1) * 125);
      expect(part.filter((j) => j.family === 'heavy').length).to.be.within(20, 30);
      const heaviest = part.filter((j) => j.family === 'heavy' && Number(j.id.split('/')[1]) >= 75);
      expect(heaviest.length).to.be.within(3, 10);
    }
  });
});
