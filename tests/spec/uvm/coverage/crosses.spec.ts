import { expect } from 'chai';
import fc from 'fast-check';
import {
  binArray,
  bins,
  defaultBin,
  enumBins,
  ignore,
  illegal,
  transitions,
} from '../../../../uvm/coverage/binSpec.ts';
import { type Covergroup, covergroup } from '../../../../uvm/coverage/covergroup.ts';
import type { Coverpoint } from '../../../../uvm/coverage/coverpoint.ts';
import type { CrossOptions } from '../../../../uvm/coverage/cross.ts';
import { binsof, not, where } from '../../../../uvm/coverage/selection.ts';
import { binNames, sampled } from './sampling.ts';

interface Pair {
  readonly op: number;
  readonly size: number;
}

const OPS = { send: 0, write: 1, read: 2 } as const;

type Points = readonly [Coverpoint<Pair>, Coverpoint<Pair>];

function crossed(options: (points: Points) => CrossOptions<Pair> = () => ({})): Covergroup<Pair> {
  return covergroup<Pair>('cg', {}, (g) => {
    const op = g.coverpoint('op', (s) => s.op, enumBins(OPS));
    const size = g.coverpoint('size', (s) => s.size, [bins('none', 0), bins('some', [1, 99]), defaultBin('more')]);
    g.cross('both', [op, size], options([op, size]));
  });
}

describe('Crosses', () => {
  const crossHits = (group: Covergroup<Pair>, samples: readonly Pair[]): Record<string, number> => {
    const hits = Object.entries(sampled(group, samples).hits).filter(([name]) => name.startsWith('both.'));
    return Object.fromEntries(hits.map(([name, n]) => [name.slice(5), n]));
  };

  it('have a bin for each combination of bins that are to be covered', () => {
    expect(binNames(crossed(), 2)).to.deep.equal([
      '<send,none>',
      '<send,some>',
      '<write,none>',
      '<write,some>',
      '<read,none>',
      '<read,some>',
    ]);
  });

  it('count combinations, and none with a default bin or without a bin', () => {
    const samples = [
      { op: 0, size: 0 },
      { op: 2, size: 50 },
      { op: 2, size: 51 },
      { op: 2, size: 100 },
      { op: 7, size: 0 },
    ];
    expect(crossHits(crossed(), samples)).to.deep.equal({ '<send,none>': 1, '<read,some>': 2 });
  });

  it('count every combination of a sample that hits several bins', () => {
    const group = covergroup<number>('cg', {}, (g) => {
      const a = g.coverpoint('a', (n) => n, [bins('low', [0, 5]), bins('mid', [4, 8])]);
      const b = g.coverpoint('b', (n) => n % 2, binArray('odd', [0, 1]));
      g.cross('x', [a, b]);
    });
    expect(sampled(group, [5]).hits).to.deep.equal({
      'a.low': 1,
      'a.mid': 1,
      'b.odd[1]': 1,
      'x.<low,odd[1]>': 1,
      'x.<mid,odd[1]>': 1,
    });
  });

  it('select combinations by bins and by values', () => {
    const group = crossed(([op, size]) => ({
      bins: {
        moved: binsof(op, 'write')
          .or(binsof(op, 'read'))
          .and(binsof(size).intersect([50, 60])),
        nothing: not(binsof(op, 'send')).and(binsof(size, 'none')),
      },
    }));
    expect(binNames(group, 2)).to.deep.equal(['moved', 'nothing', '<send,none>', '<send,some>']);
    const samples = [
      { op: 1, size: 5 },
      { op: 2, size: 50 },
      { op: 1, size: 0 },
      { op: 0, size: 0 },
    ];
    expect(crossHits(group, samples)).to.deep.equal({ moved: 2, nothing: 1, '<send,none>': 1 });
  });

  it('have no bins of their own making where those are not wanted', () => {
    const options = ([op]: Points): CrossOptions<Pair> => ({
      bins: { sends: binsof(op, 'send') },
      retainAutoBins: false,
    });
    expect(binNames(crossed(options), 2)).to.deep.equal(['sends']);
  });

  it('let illegal combinations beat ignored ones, and both beat bins', () => {
    const group = crossed(([op, size]) => ({
      bins: { all: binsof(op) },
      ignore: { empty: binsof(size, 'none') },
      illegal: { empty_read: where((o, s) => o === 'read' && s === 'none') },
    }));
    const samples = [
      { op: 2, size: 0 },
      { op: 1, size: 0 },
      { op: 2, size: 1 },
    ];
    const { hits, illegal: texts } = sampled(group, samples);
    expect([hits['both.all'], hits['both.empty'], hits['both.empty_read']]).to.deep.equal([1, 1, 1]);
    expect(texts).to.deep.equal(["cg.both has op read, size none: hits illegal bin 'empty_read'"]);
  });

  it('take no part in samples that are none of a coverpoint or of the cross', () => {
    const group = covergroup<Pair>('cg', {}, (g) => {
      const op = g.coverpoint('op', (s) => s.op, enumBins(OPS), { iff: (s) => s.size > 0 });
      const size = g.coverpoint('size', (s) => s.size, bins('any', [0, 9]));
      g.cross('both', [op, size], { iff: (s) => s.size < 5 });
    });
    const samples = [0, 1, 6].map((size) => ({ op: 0, size }));
    expect(crossHits(group, samples)).to.deep.equal({ '<send,any>': 1 });
  });

  it('cross transitions with values of the same sample', () => {
    const group = covergroup<Pair>('cg', {}, (g) => {
      const op = g.coverpoint('op', (s) => s.op, transitions('up', [0, 1]));
      const size = g.coverpoint('size', (s) => s.size, binArray('s', [[0, 1]]));
      g.cross('both', [op, size]);
    });
    const samples = [
      { op: 0, size: 0 },
      { op: 1, size: 1 },
      { op: 1, size: 0 },
      { op: 0, size: 0 },
      { op: 1, size: 0 },
    ];
    expect(crossHits(group, samples)).to.deep.equal({ '<up,s[0]>': 1, '<up,s[1]>': 1 });
  });

  it('count what a look at every combination would, of any three coverpoints', () => {
    const set = fc.array(fc.nat(7), { minLength: 1, maxLength: 4 });
    const point = fc.array(set, { minLength: 1, maxLength: 3 });
    const sample = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9));
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 3 }), set, fc.array(sample), (sets, skipped, samples) => {
        const group = covergroup<readonly number[]>('cg', {}, (g) => {
          const points = sets.map((of, i) =>
            g.coverpoint(`p${i}`, (s) => s[i] as number, [bins('keep', 8), ...of.map((v, j) => bins(`b${j}`, ...v))]),
          );
          const [first] = points as [Coverpoint<readonly number[]>];
          g.cross('x', points, { ignore: { skip: binsof(first).intersect(...skipped) } });
        });
        const expected: Record<string, number> = {};
        const count = (name: string): void => {
          expected[name] = (expected[name] ?? 0) + 1;
        };
        for (const s of samples) {
          const hit = sets.map((of, i) => [[8], ...of].flatMap((v, j) => (v.includes(s[i] as number) ? [j] : [])));
          for (const a of hit[0] as number[])
            for (const b of hit[1] as number[])
              for (const c of hit[2] as number[]) {
                const names = [a, b, c].map((j) => (j === 0 ? 'keep' : `b${j - 1}`));
                const values = [[8], ...(sets[0] as number[][])][a] as number[];
                count(values.some((v) => skipped.includes(v)) ? 'x.skip' : `x.<${names.join()}>`);
              }
        }
        const hits = Object.entries(sampled(group, samples).hits).filter(([name]) => name.startsWith('x.'));
        expect(Object.fromEntries(hits)).to.deep.equal(expected);
      }),
    );
  });

  it('leave out bins that ignored and illegal values have emptied', () => {
    const group = covergroup<Pair>('cg', {}, (g) => {
      const op = g.coverpoint('op', (s) => s.op, [enumBins(OPS), ignore(bins('no_read', 2)), illegal(bins('bad', 3))]);
      const size = g.coverpoint('size', (s) => s.size, bins('any', [0, 9]));
      g.cross('both', [op, size]);
    });
    expect(binNames(group, 2)).to.deep.equal(['<send,any>', '<write,any>']);
  });
});
