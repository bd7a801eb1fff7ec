import fc from 'fast-check';
import { Ring } from '../../../../dut-model/hangu/model/queues/ring.ts';

describe('Ring', () => {
  it('behaves as an array that is pushed and shifted', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), (pushes) => {
        const ring = new Ring<number>();
        const model: number[] = [];
        let n = 0;
        for (const push of pushes) {
          if (push) {
            ring.push(n);
            model.push(n++);
          } else if (ring.shift() !== model.shift()) return false;
        }
        return ring.length === model.length;
      }),
    );
  });
});
