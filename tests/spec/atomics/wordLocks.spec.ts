import { expect } from 'chai';
import { WordLocks, type WordUser } from '../../../dut-model/hangu/model/transport/atomics/wordLocks.ts';

class User implements WordUser {
  isAbandoned = false;
  granted = 0;

  wordGranted(): void {
    this.granted++;
  }
}

describe('Words that atomics change', () => {
  it('belong to one at a time, in the order in which they were asked for', () => {
    const locks = new WordLocks();
    const [a, b, c] = [new User(), new User(), new User()];
    expect([a, b, c].map((user) => locks.take(8, user))).to.deep.equal([true, false, false]);
    expect(locks.take(16, new User())).to.equal(true);
    locks.release(8, a);
    expect([b.granted, c.granted]).to.deep.equal([1, 0]);
    locks.release(8, b);
    expect(c.granted).to.equal(1);
    locks.release(8, c);
    expect(locks.take(8, a)).to.equal(true);
  });

  it('pass over who has given up', () => {
    const locks = new WordLocks();
    const [a, b, c] = [new User(), new User(), new User()];
    for (const user of [a, b, c]) locks.take(8, user);
    b.isAbandoned = true;
    locks.release(8, a);
    expect([b.granted, c.granted]).to.deep.equal([0, 1]);
  });
});
