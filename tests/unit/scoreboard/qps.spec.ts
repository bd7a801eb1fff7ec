import { expect } from 'chai';
import { Qps } from '../../../scoreboard/qps.ts';

describe('Qps', () => {
  it('counts the queue pairs of each host that are in use, however often it is told that one is gone', () => {
    const qps = new Qps();
    const [first] = [qps.ensure(0, 64), qps.ensure(0, 65), qps.ensure(1, 64)];
    qps.ensure(0, 64);
    expect([qps.inUse(0), qps.inUse(1), qps.inUse(2)]).to.deep.equal([2, 1, 0]);
    qps.gone(first);
    qps.gone(first);
    expect([qps.inUse(0), qps.inUse(1)]).to.deep.equal([1, 1]);
    qps.ensure(0, 64);
    expect(qps.inUse(0)).to.equal(2);
  });
});
