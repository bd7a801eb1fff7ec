import { expect } from 'chai';
import { PathNumbers, UNKNOWN_PATH } from '../../../../agents/wire/pathNumbers.ts';
import type { QpPath } from '../../../../agents/verbs/verbsItems.ts';

const path = (flowLabel: number): QpPath => ({ ipv6: true, trafficClass: 1, flowLabel, hopLimit: 64 });

describe('PathNumbers', () => {
  it('gives equal paths one number, and keeps a path that its caller changes later', () => {
    const numbers = new PathNumbers();
    const mine = { ...path(5) };
    const number = numbers.take(mine);
    mine.flowLabel = 6;
    expect(numbers.of(number)).to.deep.equal(path(5));
    expect(numbers.take(path(5))).to.equal(number);
    expect(numbers.take(path(6))).not.to.equal(number);
    expect(numbers.take(undefined)).to.equal(UNKNOWN_PATH);
  });

  it('keeps a number until its last user has released it, and then gives it to another path', () => {
    const numbers = new PathNumbers();
    const [one, again] = [numbers.take(path(1)), numbers.take(path(1))];
    numbers.release(one);
    const two = numbers.take(path(2));
    expect(two).not.to.equal(one);
    expect(numbers.of(again)).to.deep.equal(path(1));
    numbers.release(again);
    expect(numbers.take(path(3))).to.equal(one);
    expect(numbers.of(one)).to.deep.equal(path(3));
    expect(numbers.take(path(1))).not.to.equal(one);
  });

  it('takes the path that nobody announced for no user', () => {
    const numbers = new PathNumbers();
    numbers.release(UNKNOWN_PATH);
    expect(numbers.take(path(1))).not.to.equal(UNKNOWN_PATH);
  });

  it('needs no more numbers than there are paths in use', () => {
    const numbers = new PathNumbers();
    const taken = new Set<number>();
    for (let i = 0; i < 5000; i++) {
      const number = numbers.take(path(i));
      taken.add(number);
      numbers.release(number);
    }
    expect(taken).to.have.length(1);
  });
});
