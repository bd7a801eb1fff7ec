import { expect } from 'chai';
import fc from 'fast-check';
import { DataPages, NO_PAGE } from '../../../scoreboard/memory/dataPages.ts';
import { VerifiedMap } from '../../../scoreboard/memory/verifiedMap.ts';
import { FORGOTTEN, HASHED } from '../../../scoreboard/memory/verifiedRecord.ts';
import { FakeMemory } from './fakeMemory.ts';

const DATA = 0x8000;
const PAGE = 4096;

/** Hands out numbers and remembers which are live and what they cover. */
class FakeKeeper {
  readonly live = new Map<number, string>();
  #next = 0;
  rehash(_page: number, from: number, to: number): number {
    this.live.set(this.#next, `${from}-${to}`);
    return this.#next++;
  }
  dropHash(hash: number): void {
    if (!this.live.delete(hash)) throw new Error('dropped twice');
  }
}

/** A map with a few pages; beside it what every byte of the first page must be said to hold. */
class World {
  readonly keeper = new FakeKeeper();
  readonly page: number;
  readonly sources: number[] = [];
  readonly map: VerifiedMap;
  readonly naive = new Array<string>(PAGE).fill('');

  constructor() {
    const pages = new DataPages(new FakeMemory(2));
    this.map = new VerifiedMap(pages, this.keeper);
    this.page = pages.at(0, 1, DATA, 5);
    for (let i = 0; i < 3; i++) this.sources.push(pages.at(1, 1, DATA, 100 + i));
  }

  /** @param kind index of a source page, `FORGOTTEN` or `HASHED` */
  insert(from: number, to: number, kind: number, position: number): void {
    if (kind === HASHED) this.map.insertHash(this.page, from, to, this.keeper.rehash(this.page, from, to));
    else if (kind === FORGOTTEN) this.map.forget(this.page, from, to);
    else this.map.insert(this.page, from, to, this.sources[kind] as number, position);
    for (let i = from; i < to; i++) this.naive[i] = kind < 0 ? `${kind}` : `${kind}@${position + i - from}`;
  }

  /** Ranges of a list whose entries all lie in one source page. */
  insertPairs(list: readonly (readonly [from: number, to: number, position: number])[], kind: number): void {
    const ranges = Int32Array.from(list, ([from, to]) => from | ((to - 1) << 12));
    const sges = Int32Array.from(list.flatMap(([from, to, position]) => [0, (9 << 12) | position, to - from]));
    this.map.insertPairs(this.page, ranges, 0, ranges.length, this.sources[kind] as number, sges, 0);
    for (const [from, to, position] of list)
      for (let i = from; i < to; i++) this.naive[i] = `${kind}@${position + i - from}`;
  }

  records(): [from: number, to: number, kind: number, value: number][] {
    const { map } = this;
    return Array.from({ length: map.load(this.page) }, (_, i) => {
      const source = map.source(i);
      return [map.from(i), map.to(i), source < 0 ? source : this.sources.indexOf(source), map.value(i)];
    });
  }

  check(): void {
    const seen = new Array<string>(PAGE).fill('');
    const hashes: string[] = [];
    for (const position of [0, 17, 59, PAGE - 1]) {
      const said = this.map.sourceAt(this.page, position);
      const kind = said < 0 ? said : this.sources.indexOf(said);
      expect(this.naive[position]?.split('@')[0]).to.equal(said === NO_PAGE ? '' : `${kind}`);
    }
    let last = 0;
    for (const [from, to, kind, value] of this.records()) {
      expect(from).to.be.at.least(last).and.below(to);
      last = to;
      if (kind === HASHED) hashes.push(this.keeper.live.get(value) as string);
      if (kind === HASHED) expect(this.keeper.live.get(value)).to.equal(`${from}-${to}`);
      for (let p = from; p < to; p++) seen[p] = kind < 0 ? `${kind}` : `${kind}@${value + p - from}`;
    }
    expect(seen).to.deep.equal(this.naive);
    expect([...this.keeper.live.values()].sort()).to.deep.equal(hashes.sort());
  }
}

describe('VerifiedMap', () => {
  it('joins a run of messages with one rule into one record, in any order of arrival', () => {
    const w = new World();
    for (const i of [0, 1, 2, 5, 4, 3]) w.insert(i * 10, i * 10 + 10, 1, 100 + i * 10);
    expect(w.records()).to.deep.equal([[0, 60, 1, 100]]);
    w.check();
  });

  it('keeps ranges apart whose sources are not continuous', () => {
    const w = new World();
    w.insert(0, 10, 1, 0);
    w.insert(10, 20, 1, 11);
    w.insert(20, 30, 2, 21);
    expect(w.records()).to.have.length(3);
    w.check();
  });

  it('keeps a page that was filled from the ends of two others in two records', () => {
    const w = new World();
    w.insert(0, 100, 0, PAGE - 100);
    w.insert(100, PAGE, 1, 0);
    expect(w.records()).to.deep.equal([
      [0, 100, 0, PAGE - 100],
      [100, PAGE, 1, 0],
    ]);
    w.check();
  });

  it('drops the hash of a range that is replaced and makes new ones for what remains', () => {
    const w = new World();
    w.insert(0, 30, HASHED, 0);
    w.insert(10, 20, FORGOTTEN, 0);
    expect([...w.keeper.live.values()].sort()).to.deep.equal(['0-10', '20-30']);
    w.check();
  });

  it('stays right in a page filled and rewritten in random order', () => {
    const w = new World();
    let draw = 12345;
    const below = (n: number): number => {
      draw = (Math.imul(draw, 1103515245) + 12345) >>> 0;
      return (draw >>> 8) % n;
    };
    for (let step = 0; step < 20000; step++) {
      const from = below(PAGE);
      const to = Math.min(PAGE, from + 1 + (step % 50 === 0 ? below(900) : below(5)));
      w.insert(from, to, below(5) - 2, below(PAGE - (to - from) + 1));
      if (step % 5000 === 0) w.check();
    }
    w.check();
    expect(w.records()).to.have.length.above(500);
  });

  it('agrees with one entry per position while the same ranges are filled round after round, with others between', () => {
    const other = fc.record({
      after: fc.nat(200),
      from: fc.nat(150),
      n: fc.integer({ min: 1, max: 40 }),
      kind: fc.integer({ min: -2, max: 2 }),
    });
    const pitches = fc.array(fc.integer({ min: 10, max: 25 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pitches, fc.array(other, { maxLength: 3 }), fc.boolean(), (pitch, others, forwards) => {
        const w = new World();
        let step = 0;
        for (let round = 0; round < 30; round++) {
          let from = forwards ? 0 : 1000;
          for (const p of pitch) {
            w.insert(from, from + 10, (step + round) % 3, (step * 7 + round) % 50);
            from += forwards ? p : -p;
            for (const o of others) if (o.after === step) w.insert(o.from, o.from + o.n, o.kind, round);
            step++;
          }
          if (round % 7 === 0) w.check();
        }
        w.check();
      }),
      { numRuns: 30 },
    );
  });

  it('agrees with one entry per position while the same list of ranges that touch or overlap comes round after round', () => {
    // In units of 10 bytes, so that ranges often begin where others end.
    const range = fc.record({ from: fc.nat(9), n: fc.integer({ min: 1, max: 3 }) });
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 9 }), fc.nat(40), (list, steps) => {
        const w = new World();
        for (let step = 0; step < 60 + steps; step++) {
          const { from, n } = list[step % list.length] as (typeof list)[number];
          // The position changes faster than the round, so that a record left behind is seen.
          w.insert(from * 10, (from + n) * 10, step % 3, (step * 7) % 50);
        }
        w.check();
      }),
      { numRuns: 30 },
    );
  });

  it('agrees with one entry per position for any sequence of insertions', () => {
    const op = fc.record({
      from: fc.nat(59),
      n: fc.integer({ min: 1, max: 15 }),
      kind: fc.integer({ min: -2, max: 2 }),
      position: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 50 }), (ops) => {
        const w = new World();
        for (const { from, n, kind, position } of ops) w.insert(from, from + n, kind, position);
        w.check();
      }),
      { numRuns: 30 },
    );
  });

  it('takes the ranges of a message at once, in the places of those of the last round or not', () => {
    const entry = fc.tuple(fc.nat(40), fc.nat(100));
    const message = fc.tuple(fc.nat(2), fc.nat(3), fc.array(entry, { minLength: 1, maxLength: 8 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(message, { minLength: 8, maxLength: 60 }), (messages) => {
        const w = new World();
        for (const [kind, place, entries, odd] of messages) {
          // Mostly ranges in places that come again, one after the other.
          const list = entries.map(([extra, position], g) => {
            const from = place * 800 + g * 100 + (odd ? extra : 0);
            return [from, from + 50, position] as const;
          });
          w.insertPairs(list, kind);
        }
        w.check();
      }),
      { numRuns: 50 },
    );
  });

  it('takes the ranges of messages round after round', () => {
    const w = new World();
    for (let round = 0; round < 40; round++) {
      const list = Array.from({ length: 6 }, (_, g) => {
        const from = (round % 5) * 600 + g * 100;
        return [from, from + 10 + g, round + g] as const;
      });
      w.insertPairs(list, round % 3);
      w.check();
    }
  });
});
