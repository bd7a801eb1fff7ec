import { expect } from 'chai';
import fc from 'fast-check';
import { FORGOTTEN, HASHED, VerifiedMap } from '../../../scoreboard/verifiedMap.ts';

const SPACE = 60;

/** Hands out numbers and remembers which are live and what they cover. */
class FakeKeeper {
  readonly live = new Map<number, string>();
  #next = 0;
  rehash(set: number, from: number, to: number): number {
    this.live.set(this.#next, `${set}:${from}-${to}`);
    return this.#next++;
  }
  dropHash(hash: number): void {
    if (!this.live.delete(hash)) throw new Error('dropped twice');
  }
}

describe('VerifiedMap', () => {
  it('joins a run of messages with one rule into one record, in any order of arrival', () => {
    const m = new VerifiedMap(new FakeKeeper());
    for (const i of [0, 1, 2, 5, 4, 3]) m.insert(0, i * 10, i * 10 + 10, 9, 100 + i * 10);
    expect(m.count(0)).to.equal(1);
    const r = m.recordAt(0, 0);
    expect([m.from(0, r), m.to(0, r), m.source(0, r), m.value(0, r)]).to.deep.equal([0, 60, 9, 100]);
  });

  it('keeps ranges apart whose sources are not continuous', () => {
    const m = new VerifiedMap(new FakeKeeper());
    m.insert(0, 0, 10, 9, 0);
    m.insert(0, 10, 20, 9, 11);
    m.insert(0, 20, 30, 8, 21);
    expect(m.count(0)).to.equal(3);
  });

  it('drops the hash of a range that is replaced and makes new ones for what remains', () => {
    const keeper = new FakeKeeper();
    const m = new VerifiedMap(keeper);
    m.insert(4, 0, 30, HASHED, keeper.rehash(4, 0, 30));
    m.insert(4, 10, 20, FORGOTTEN, 0);
    expect([...keeper.live.values()].sort()).to.deep.equal(['4:0-10', '4:20-30']);
  });

  it('stays right over many chunks of records, filled and rewritten in random order', () => {
    const keeper = new FakeKeeper();
    const m = new VerifiedMap(keeper);
    const space = 6000;
    const naive = new Array<string>(space + 40).fill('');
    let draw = 12345;
    const below = (n: number): number => {
      draw = (Math.imul(draw, 1103515245) + 12345) >>> 0;
      return (draw >>> 8) % n;
    };
    for (let step = 0; step < 20000; step++) {
      const from = below(space);
      const to = from + 1 + (step % 50 === 0 ? Math.min(below(900), space - from) : below(5));
      const source = below(5) - 2;
      const value = source === HASHED ? keeper.rehash(0, from, to) : 100000 * below(4) + from;
      m.insert(0, from, to, source, value);
      for (let i = from; i < to; i++) naive[i] = source >= 0 ? `${source}@${value + i - from}` : `${source}`;
    }
    const seen = new Array<string>(space + 40).fill('');
    const hashes: string[] = [];
    let last = 0;
    let records = 0;
    for (let r = m.recordAt(0, 0); r >= 0; r = m.next(0, r)) {
      records++;
      expect(m.from(0, r)).to.be.at.least(last).and.below(m.to(0, r));
      last = m.to(0, r);
      const source = m.source(0, r);
      if (source === HASHED) hashes.push(`0:${m.from(0, r)}-${last}`);
      for (let p = m.from(0, r); p < last; p++)
        seen[p] = source >= 0 ? `${source}@${m.value(0, r) - m.from(0, r) + p}` : `${source}`;
    }
    expect(records).to.equal(m.count(0)).and.above(500);
    expect(seen).to.deep.equal(naive);
    expect([...keeper.live.values()].sort()).to.deep.equal(hashes.sort());
  });

  it('agrees with one entry per position for any sequence of insertions', () => {
    const op = fc.record({
      from: fc.nat(SPACE - 1),
      n: fc.nat(15),
      source: fc.integer({ min: -2, max: 2 }),
      value: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 50 }), (ops) => {
        const keeper = new FakeKeeper();
        const m = new VerifiedMap(keeper);
        const naive = new Array<string>(SPACE + 20).fill('');
        for (const { from, n, source, value } of ops) {
          const to = from + n;
          const v = source === HASHED && n > 0 ? keeper.rehash(0, from, to) : value;
          m.insert(0, from, to, source, v);
          for (let i = from; i < to; i++) naive[i] = source >= 0 ? `${source}@${value + i - from}` : `${source}`;
        }
        const seen = new Array<string>(SPACE + 20).fill('');
        let last = 0;
        const hashes: string[] = [];
        for (let i = m.recordAt(0, 0); i >= 0; i = m.next(0, i)) {
          expect(m.from(0, i)).to.be.at.least(last).and.below(m.to(0, i));
          last = m.to(0, i);
          const source = m.source(0, i);
          if (source === HASHED) hashes.push(`0:${m.from(0, i)}-${m.to(0, i)}`);
          for (let p = m.from(0, i); p < last; p++)
            seen[p] = source >= 0 ? `${source}@${m.value(0, i) + p - m.from(0, i)}` : `${source}`;
        }
        expect(seen).to.deep.equal(naive);
        expect([...keeper.live.values()].sort()).to.deep.equal(hashes.sort());
      }),
      { numRuns: 400 },
    );
  });
});
