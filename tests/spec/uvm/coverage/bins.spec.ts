import { expect } from 'chai';
import fc from 'fast-check';
import {
  autoBins,
  binArray,
  type BinSpec,
  bins,
  defaultBin,
  enumBins,
  ignore,
  illegal,
  wildcard,
} from '../../../../uvm/coverage/binSpec.ts';
import type { Values } from '../../../../uvm/coverage/intervals.ts';
import { binNames, pointGroup, pointHits, sampled } from './sampling.ts';

describe('Bins of a coverpoint', () => {
  it('count samples of their values and ranges, and other samples nowhere', () => {
    const given = [bins('a', 0, [4, 7]), bins('b', 9), bins('never', 100)];
    expect(pointHits(given, [0, 4, 5, 7, 8, 9, 9, -1, 3])).to.deep.equal({ a: 4, b: 2 });
  });

  it('are all hit by a value that several of them have', () => {
    expect(pointHits([bins('low', [0, 5]), bins('middle', [4, 8])], [3, 4, 5, 6])).to.deep.equal({ low: 3, middle: 3 });
  });

  it('reach from the smallest to the largest safe integer where a range has no end', () => {
    const given = [bins('minus', [-Infinity, -1]), bins('plus', [1, Infinity])];
    const samples = [-Number.MAX_SAFE_INTEGER, -1, 0, 1, 2 ** 40, Number.MAX_SAFE_INTEGER];
    expect(pointHits(given, samples)).to.deep.equal({ minus: 2, plus: 3 });
  });

  it('take no sample that is not a number', () => {
    expect(pointHits([bins('a', [0, 9])], [Number.NaN])).to.deep.equal({});
    expect(pointHits([bins('a', [0, 2 ** 40])], [Number.NaN])).to.deep.equal({});
  });

  it('are one for each value in an array without a count', () => {
    expect(binNames(pointGroup(binArray('a', [[0, 2], 7, 2])))).to.deep.equal(['a[0]', 'a[1]', 'a[2]', 'a[7]']);
  });

  it('share values out in order in an array with a count, the rest to the last, repeated ones twice', () => {
    // The example of IEEE 1800-2017 19.5.1: fixed[4] = {[1:10], 1, 4, 7} has <1,2,3>, <4,5,6>, <7,8,9>, <10,1,4,7>.
    const given = binArray('fixed', [[1, 10], 1, 4, 7], 4);
    const values = pointGroup(given).model.items[0]?.bins.map((bin) => bin.values);
    expect(values).to.deep.equal([
      [[1, 3]],
      [[4, 6]],
      [[7, 9]],
      [
        [1, 1],
        [4, 4],
        [7, 7],
        [10, 10],
      ],
    ]);
  });

  it('are as many as there are values where an array with a count has fewer', () => {
    expect(binNames(pointGroup(binArray('a', [[0, 2]], 8)))).to.deep.equal(['a[0]', 'a[1]', 'a[2]']);
  });

  it('are one a member of an enumeration, or those that are named', () => {
    const members = { read: 0, write: 1, atomic: 4 } as const;
    expect(pointHits(enumBins(members), [4, 1, 1])).to.deep.equal({ atomic: 1, write: 2 });
    expect(binNames(pointGroup(enumBins(members, ['write'])))).to.deep.equal(['write']);
  });

  it('are automatic ones of equal size up to the most that are allowed', () => {
    expect(binNames(pointGroup(autoBins(0, 3)))).to.deep.equal(['auto[0]', 'auto[1]', 'auto[2]', 'auto[3]']);
    expect(binNames(pointGroup(autoBins(0, 255)))).to.have.length(64);
    expect(binNames(pointGroup(autoBins(0, 255), { autoBinMax: 4 }))).to.deep.equal([
      'auto[0:63]',
      'auto[64:127]',
      'auto[128:191]',
      'auto[192:255]',
    ]);
  });

  it('fit a pattern in which some digits may be either', () => {
    // 12 .. 15 in IEEE 1800-2017 19.5.4.
    expect(pointHits(wildcard('g12_15', '11??'), [11, 12, 13, 14, 15, 16])).to.deep.equal({ g12_15: 4 });
    expect(pointHits(wildcard('odd', 'xx_x1'), [0, 1, 2, 3, 15, 16, 17])).to.deep.equal({ odd: 3 });
  });

  it('take what others have not as the default, which is not to be covered', () => {
    const given = [bins('a', 1), ignore(bins('i', 2)), defaultBin('others')];
    expect(pointHits(given, [1, 2, 3, 1000, -5])).to.deep.equal({ a: 1, i: 1, others: 3 });
  });

  it('lose their values to ignore bins, and those to illegal bins', () => {
    const given = [bins('a', [0, 9]), ignore(bins('skip', [2, 5])), illegal(bins('bad', [5, 6]))];
    const { hits, illegal: texts } = sampled(pointGroup(given), [1, 2, 5, 6, 7]);
    expect(hits).to.deep.equal({ 'v.a': 2, 'v.skip': 1, 'v.bad': 2 });
    expect(texts).to.deep.equal(["cg.v is 5: hits illegal bin 'bad'", "cg.v is 6: hits illegal bin 'bad'"]);
  });

  it('are left out where nothing of them is left to cover', () => {
    expect(binNames(pointGroup([binArray('a', [[0, 3]]), ignore(bins('skip', 1, 2))]))).to.deep.equal([
      'a[0]',
      'a[3]',
      'skip',
    ]);
  });

  it('make every value an error that has no bin with an illegal default', () => {
    const { illegal: texts } = sampled(pointGroup([bins('a', 1), illegal(defaultBin('others'))]), [1, 2]);
    expect(texts).to.deep.equal(["cg.v is 2: hits illegal bin 'others'"]);
  });

  it('count only samples for which iff holds', () => {
    expect(pointHits(bins('a', [0, 9]), [1, 2, 3, 4], { iff: (n) => n % 2 === 0 })).to.deep.equal({ a: 2 });
  });

  const value = fc.oneof(fc.integer({ min: -20, max: 60 }), fc.integer({ min: -1_000_000, max: 1_000_000 }));
  const range = fc.tuple(value, value).map(([a, b]): Values => [Math.min(a, b), Math.max(a, b)]);
  const spec = fc.record({
    kind: fc.constantFrom('bins', 'ignore', 'illegal'),
    values: fc.array(fc.oneof(value, range), { minLength: 1, maxLength: 3 }),
  });

  it('of any shape count what a search of all of them would', () => {
    fc.assert(
      fc.property(
        fc.array(spec, { maxLength: 6 }),
        fc.boolean(),
        fc.array(value, { maxLength: 30 }),
        (specs, rest, samples) => {
          const given: BinSpec[] = specs.map(({ kind, values }, i) => {
            const spec = bins(`b${i}`, ...values);
            return kind === 'bins' ? spec : kind === 'ignore' ? ignore(spec) : illegal(spec);
          });
          given.push(bins('one', 5), ...(rest ? [defaultBin('rest')] : []));
          const all = [...specs, { kind: 'bins', values: [5] as Values[] }];
          const name = (i: number): string => (i === specs.length ? 'one' : `b${i}`);
          const expected: Record<string, number> = {};
          for (const sample of samples) {
            const hit = all.flatMap(({ values }, i) => (values.some((v) => within(v, sample)) ? [i] : []));
            const kind = ['illegal', 'ignore', 'bins'].find((k) => hit.some((i) => all[i]?.kind === k));
            const names = hit.filter((i) => all[i]?.kind === kind).map(name);
            for (const n of names.length === 0 && rest ? ['rest'] : names) expected[n] = (expected[n] ?? 0) + 1;
          }
          // 5 may have been taken from the only bin that must exist.
          if (!hasBin(given)) return;
          expect(pointHits(given, samples)).to.deep.equal(expected);
        },
      ),
    );
  });

  function within(values: Values, sample: number): boolean {
    return typeof values === 'number' ? values === sample : values[0] <= sample && sample <= values[1];
  }

  function hasBin(given: BinSpec[]): boolean {
    try {
      return pointGroup(given).model !== undefined;
    } catch {
      return false;
    }
  }
});
