import { expect } from 'chai';
import * as fc from 'fast-check';
import { RandomDraws } from '../../../../uvm/random/randomDraws.ts';
import { FastStream, RandomStream } from '../../../../uvm/random/randomStream.ts';

/** Feeds given words, to steer a draw into a corner. */
function scripted(words: readonly number[]): RandomDraws {
  let i = 0;
  return new (class extends RandomDraws {
    override uint32(): number {
      return words[i++] as number;
    }
  })();
}

const kinds = [
  ['RandomStream', (seed: string) => new RandomStream(seed)],
  ['FastStream', (seed: string) => new FastStream(seed)],
] as const;

for (const [name, make] of kinds) {
  describe(name, () => {
    it('draws the same values for the same seed and others for another', () => {
      const draw = (seed: string): number[] => {
        const stream = make(seed);
        return Array.from({ length: 50 }, () => stream.uint32());
      };
      expect(draw('x')).to.deep.equal(draw('x'));
      expect(draw('x')).to.not.deep.equal(draw('y'));
    });

    it('keeps every draw in its range', () => {
      fc.assert(
        fc.property(
          fc.string(),
          fc.integer({ min: 1, max: 2 ** 32 }),
          fc.maxSafeInteger(),
          fc.nat(),
          (seed, n, lo, more) => {
            const stream = make(seed);
            const x = stream.below(n);
            expect(x).to.be.within(0, n - 1);
            expect(Number.isInteger(x)).to.equal(true);
            const hi = Math.min(lo + more, Number.MAX_SAFE_INTEGER);
            expect(stream.range(lo, hi)).to.be.within(lo, hi);
            expect(stream.float()).to.be.within(0, 1 - 2 ** -53);
            expect(stream.uint32()).to.be.within(0, 2 ** 32 - 1);
          },
        ),
      );
    });

    it('draws small bounds evenly', () => {
      for (const n of [2, 3, 7, 10]) {
        const stream = make(`even ${n}`);
        const counts = new Array<number>(n).fill(0);
        for (let i = 0; i < 20_000; i++) {
          const x = stream.below(n);
          counts[x] = (counts[x] as number) + 1;
        }
        const expected = 20_000 / n;
        const chi = counts.reduce((sum, c) => sum + (c - expected) ** 2 / expected, 0);
        expect(chi, `${n}: ${counts}`).to.be.below(n + 5 * Math.sqrt(2 * n) + 5);
      }
    });

    it('reaches both ends of a wide range', () => {
      const stream = make('wide');
      const draws = Array.from({ length: 2000 }, () => stream.range(-(2 ** 52), 2 ** 52 - 1));
      expect(Math.min(...draws)).to.be.below(-(2 ** 52) * 0.99);
      expect(Math.max(...draws)).to.be.above(2 ** 52 * 0.99);
    });

    it('continues from a saved state', () => {
      const stream = make('state');
      for (let i = 0; i < 10; i++) stream.uint32();
      const state = JSON.parse(JSON.stringify(stream.state()));
      const copy = name === 'FastStream' ? new FastStream(state) : new RandomStream(state);
      for (let i = 0; i < 10; i++) expect(copy.uint32()).to.equal(stream.uint32());
    });

    it('takes chances with the given probability, never below 0 and always above 1', () => {
      const stream = make('chance');
      let hits = 0;
      for (let i = 0; i < 10_000; i++) if (stream.chance(0.25)) hits++;
      expect(hits).to.be.within(2300, 2700);
      for (let i = 0; i < 100; i++) {
        expect(stream.chance(0)).to.equal(false);
        expect(stream.chance(1)).to.equal(true);
        expect(stream.chance(-1)).to.equal(false);
        expect(stream.chance(2)).to.equal(true);
      }
    });

    it('shuffles to a permutation of the same array', () => {
      fc.assert(
        fc.property(fc.string(), fc.array(fc.integer()), (seed, items) => {
          const copy = [...items];
          const shuffled = make(seed).shuffle(copy);
          expect(shuffled).to.equal(copy);
          expect([...shuffled].sort()).to.deep.equal([...items].sort());
        }),
      );
    });

    it('reaches every order of three items about equally often', () => {
      const stream = make('orders');
      const counts = new Map<string, number>();
      for (let i = 0; i < 6000; i++) {
        const key = stream.shuffle([1, 2, 3]).join('');
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      expect(counts.size).to.equal(6);
      for (const count of counts.values()) expect(count).to.be.within(850, 1150);
    });

    it('draws from a weighted table by weight and never an entry of weight 0', () => {
      const stream = make('weights');
      const counts = { a: 0, b: 0, c: 0, d: 0 };
      for (let i = 0; i < 10_000; i++) {
        counts[
          stream.weighted([
            [0, 'd'],
            [1, 'a'],
            [0, 'b'],
            [3, 'c'],
          ] as const)
        ]++;
      }
      expect(counts.b + counts.d).to.equal(0);
      expect(counts.a).to.be.within(2300, 2700);
    });

    it('refuses impossible draws and says why', () => {
      const stream = make('errors');
      for (const bad of [0, -1, 1.5, 2 ** 32 + 1, Number.NaN, Infinity]) {
        expect(() => stream.below(bad), String(bad)).to.throw(RangeError, `${bad}`);
      }
      expect(() => stream.range(2, 1)).to.throw(RangeError, '2 .. 1');
      expect(() => stream.range(0.5, 1)).to.throw(RangeError);
      expect(() => stream.range(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).to.throw(RangeError);
      expect(() => stream.pick([])).to.throw(RangeError, 'empty');
      expect(() => stream.weighted([[0, 'a']])).to.throw(RangeError, 'above 0');
      expect(() => stream.weighted([[-1, 'a']])).to.throw(RangeError, '-1');
      expect(() => stream.weighted([[Number.NaN, 'a']])).to.throw(RangeError, 'NaN');
    });
  });
}

describe('draws pinned for recorded seeds', () => {
  const draws = (stream: RandomDraws): number[] => [
    stream.uint32(),
    stream.uint32(),
    stream.below(10),
    stream.below(3_000_000_000),
    stream.range(-5, 5),
    stream.range(0, 2 ** 50),
    stream.float(),
    stream.pick([10, 20, 30]),
    stream.weighted([
      [1, 1],
      [2.5, 2],
    ]),
    ...stream.shuffle([1, 2, 3, 4, 5]),
  ];

  it('RandomStream', () => {
    expect(draws(new RandomStream('golden'))).to.deep.equal([
      1095689102, 782979631, 4, 100210424, -3, 659617820360671, 0.22450829366324043, 20, 2, 2, 3, 5, 1, 4,
    ]);
  });

  it('FastStream', () => {
    expect(draws(new FastStream('golden'))).to.deep.equal([
      1448345390, 149518571, 4, 1641664129, 5, 390563246915728, 0.6196176888928966, 10, 1, 4, 1, 2, 5, 3,
    ]);
  });

  it('FastStream follows the published algorithm', () => {
    // xoshiro128** from state 1, 2, 3, 4.
    const stream = new FastStream([1, 2, 3, 4]);
    expect([stream.uint32(), stream.uint32(), stream.uint32(), stream.uint32()]).to.deep.equal([
      11520, 0, 5927040, 70819200,
    ]);
  });

  it('FastStream leaves the state of zeros, which the generator itself never would', () => {
    expect(new FastStream([0, 0, 0, 0]).state()).to.deep.equal([0, 0, 0, 1]);
  });
});

describe('RandomDraws.below', () => {
  it('rejects the words that would bias a small bound', () => {
    // For 3, 2^32 % 3 = 1: the one word whose product has a low half below 1 is 0.
    expect(scripted([0, 0xffffffff]).below(3)).to.equal(2);
    // The low half may lie below n without being biased.
    expect(scripted([0x55555556, 0xffffffff]).below(3)).to.equal(1);
  });

  it('rejects the words beyond the last multiple of a large bound', () => {
    expect(scripted([0xffffffff, 3_000_000_000, 7]).below(3_000_000_000)).to.equal(7);
  });
});
