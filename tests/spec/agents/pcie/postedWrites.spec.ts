import { expect } from 'chai';
import fc from 'fast-check';
import { PostedWrites } from '../../../../agents/pcie/postedWrites.ts';

type Write = [bar: number, offset: number, length: number, first: number, second: number];

const write = fc.tuple(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 0x7fff_fffc }),
  fc.constantFrom(4, 8),
  fc.integer(),
  fc.integer(),
);

describe('PostedWrites', () => {
  it('gives writes back in the order in which they came, whatever is added and taken in between', () => {
    fc.assert(
      fc.property(fc.array(fc.option(write, { freq: 3, nil: null }), { maxLength: 200 }), (steps) => {
        const ring = new PostedWrites();
        const model: [Write, number][] = [];
        for (const [time, step] of steps.entries()) {
          if (step !== null) {
            ring.push(...step, time);
            model.push([step, time]);
          } else if (model.length > 0) {
            const [expected, arrival] = model.shift() as [Write, number];
            expect(ring.arrival).to.equal(arrival);
            ring.shift();
            expect([ring.bar, ring.offset, ring.length, ring.first, ring.second]).to.deep.equal(expected);
          }
          expect(ring.size).to.equal(model.length);
        }
      }),
    );
  });
});
