import { expect } from 'chai';
import fc from 'fast-check';
import { Sge } from '../../../agents/verbs/verbsItems.ts';
import { MrTable } from '../../../scoreboard/model/mrTable.ts';
import {
  R_NUM_SGE,
  R_SGES,
  R_STATE,
  Requests,
  S_FLAT,
  SGE_WORDS,
  upperHalf,
} from '../../../scoreboard/model/requests.ts';

/** What is kept of the list of a request. */
function listOf(requests: Requests, r: number): number[] {
  const first = requests.words[r + R_SGES] as number;
  const count = requests.words[r + R_NUM_SGE] as number;
  return [...requests.sges.words.slice(first, first + count * SGE_WORDS)];
}

function listFrom(seed: number, count: number): Sge[] {
  return Array.from({ length: count }, (_, i) => new Sge(seed, seed * 1000 + 100 * i, 10 + i, 7));
}

describe('Requests', () => {
  it('keep the lists of all requests in use apart, however long the lists before were', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.nat()), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, (list) => {
        const requests = new Requests();
        const mrs = new MrTable();
        const live: [r: number, words: number[]][] = [];
        list.forEach(([count, pick], step) => {
          if (live.length > 8) requests.release((live.splice(pick % live.length, 1)[0] as [number, number[]])[0]);
          const r = requests.allocate(0, 0, step, 0);
          const sges = listFrom(step, count);
          requests.setSges(r, 0, sges, count, mrs);
          live.push([r, sges.flatMap(({ hi, lo, length }) => [hi, lo, length])]);
          expect(requests.length(r)).to.equal(sges.reduce((n, { length }) => n + length, 0));
        });
        for (const [r, words] of live) expect(listOf(requests, r)).to.deep.equal(words);
      }),
      { numRuns: 200 },
    );
  });

  it('make addresses in zero-based regions absolute', () => {
    const requests = new Requests();
    const mrs = new MrTable();
    const region = { host: 1, process: 2, pd: 3, hi: 5, lo: -16, length: 1 << 20, access: 0 };
    mrs.add({ ...region, key: 7, zeroBased: true });
    mrs.add({ ...region, key: 8, zeroBased: false });
    const r = requests.allocate(0, 0, 0, 0);
    requests.setSges(r, 1, [new Sge(0, 8, 4, 7), new Sge(9, 8, 4, 8), new Sge(0, 32, 4, 7)], 3, mrs);
    expect(listOf(requests, r)).to.deep.equal([5, -8, 4, 9, 8, 4, 6, 16, 4]);
  });

  it('know lists whose entries lie one behind the other, within one upper half', () => {
    const requests = new Requests();
    const isFlat = (...list: Sge[]): boolean => {
      const r = requests.allocate(0, 0, 0, 0);
      requests.setSges(r, 0, list, list.length, new MrTable());
      return ((requests.words[r + R_STATE] as number) & S_FLAT) !== 0;
    };
    expect(isFlat(new Sge(1, 100, 10))).to.equal(true);
    expect(isFlat(new Sge(1, 100, 10), new Sge(1, 110, 5), new Sge(1, 115, 1))).to.equal(true);
    expect(isFlat(new Sge(1, 100, 10), new Sge(1, 110, 5), new Sge(1, 116, 1))).to.equal(false);
    expect(isFlat(new Sge(1, 100, 10), new Sge(2, 110, 5))).to.equal(false);
    expect(isFlat(new Sge(1, -10, 10))).to.equal(true);
    expect(isFlat(new Sge(1, -10, 11))).to.equal(false);
    expect(isFlat()).to.equal(false);
  });

  it('keep identifiers of 53 bits', () => {
    const requests = new Requests();
    for (const id of [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]) {
      expect(requests.wrId(requests.allocate(0, 0, id, 0))).to.equal(id);
      expect(upperHalf(id)).to.equal(Math.floor(id / 2 ** 32));
    }
  });
});
