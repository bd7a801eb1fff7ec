import { expect } from 'chai';
import * as fc from 'fast-check';
import { Fifo } from '../../../../uvm/kernel/fifo.ts';

describe('Fifo', () => {
  it('agrees with an array under any sequence of operations', () => {
    const op = fc.oneof(
      { weight: 5, arbitrary: fc.constant('push') },
      { weight: 3, arbitrary: fc.constant('shift') },
      { weight: 1, arbitrary: fc.constant('unshift') },
      { weight: 1, arbitrary: fc.constant('remove') },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(op, fc.nat(20)), { maxLength: 200 }), (ops) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const [what, x] of ops) {
          if (what === 'push') {
            fifo.push(x);
            model.push(x);
          } else if (what === 'unshift') {
            fifo.unshift(x);
            model.unshift(x);
          } else if (what === 'shift') expect(fifo.shift()).to.equal(model.shift());
          else {
            const at = model.indexOf(x);
            if (at >= 0) model.splice(at, 1);
            expect(fifo.remove(x)).to.equal(at >= 0);
          }
          expect(fifo.toArray()).to.deep.equal(model);
          expect(fifo.size).to.equal(model.length);
          expect(fifo.at(0)).to.equal(model[0]);
        }
      }),
    );
  });

  it('forgets everything when cleared', () => {
    const fifo = new Fifo<number>();
    for (let i = 0; i < 20; i++) fifo.push(i);
    fifo.clear();
    expect(fifo.size).to.equal(0);
    expect(fifo.shift()).to.equal(undefined);
  });
});
