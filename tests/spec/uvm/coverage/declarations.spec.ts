import { expect } from 'chai';
import { UvmError } from '../../../../uvm/base/uvmError.ts';
import {
  binArray,
  type Bins,
  bins,
  defaultBin,
  ignore,
  step,
  transitions,
  wildcard,
} from '../../../../uvm/coverage/binSpec.ts';
import { covergroup, type Declaration } from '../../../../uvm/coverage/covergroup.ts';
import { binsof } from '../../../../uvm/coverage/selection.ts';
import { pointGroup } from './sampling.ts';

describe('A covergroup that cannot be', () => {
  const declare = (declaration: (g: Declaration<number>) => void): (() => void) => {
    return () => void covergroup<number>('cg', {}, declaration).model;
  };
  const self = (n: number): number => n;
  const AB = [bins('a', 1), bins('b', 2)];

  const wrong: readonly (readonly [string, Bins, string])[] = [
    ['a fraction', bins('half', 0.5), "cg.v: bin 'half': 0.5 is no whole number"],
    ['a range that runs backwards', bins('r', [7, 4]), "cg.v: bin 'r': the range [7, 4] runs backwards"],
    ['a bin without values', bins('none'), "cg.v: bin 'none' has no values"],
    ['two bins of one name', [bins('a', 1), bins('a', 2)], "cg.v has two bins called 'a'"],
    ['nothing to cover', ignore(bins('a', 1)), 'cg.v has no bin to cover'],
    ['two defaults', [bins('a', 1), defaultBin('d'), defaultBin('e')], 'cg.v has two default bins'],
    ['an array that is too large', binArray('a', [[0, 99999]]), 'makes 100000 parts, the limit is 4096'],
    ['a pattern that is none', wildcard('w', '12x'), "the pattern '12x' is not of 1 to 52 digits"],
    ['a pattern in too many parts', wildcard('w', 'xxxxxxxxxxxxxx0'), 'sample the bits that matter alone'],
    ['a sequence of one step', transitions('t', [3]), 'a sequence of one step, which is no transition'],
  ];
  for (const [what, given, text] of wrong) {
    it(`is refused for ${what}`, () => {
      expect(() => pointGroup(given).model).to.throw(UvmError, text);
    });
  }

  it('carries the id of such mistakes', () => {
    expect(() => pointGroup(bins('none')).model)
      .to.throw(UvmError)
      .with.property('id', 'COV_DECLARATION');
  });

  it('is refused for options out of their range', () => {
    expect(() => pointGroup(bins('a', 1), { weight: -1 }).model).to.throw('cg.v: weight is -1; it is 0 or more');
    expect(() => pointGroup(bins('a', 1), { goal: 101 }).model).to.throw('cg.v: goal is 101; it is 1 .. 100 percent');
    expect(() => pointGroup(bins('a', 1), { atLeast: 0 }).model).to.throw('cg.v: atLeast is 0; it is 1 or more');
    expect(() => step(1).times(3, 2)).to.throw('a step repeats 3 to 2 times');
  });

  it('is refused for items without or with the same name', () => {
    expect(declare((g) => g.coverpoint('a b', self, AB))).to.throw("'a b' is no name for a item of cg");
    const twice = declare((g) => {
      g.coverpoint('a', self, AB);
      g.coverpoint('a', self, AB);
    });
    expect(twice).to.throw("cg has two items called 'a'");
    expect(declare(() => {})).to.throw('cg has no coverpoint');
  });

  it('is refused for crosses of too few, of foreign and of too many', () => {
    const foreign = declare((g) => {
      const a = g.coverpoint('a', self, AB);
      void covergroup<number>('other', {}, (o) => {
        const b = o.coverpoint('b', self, AB);
        g.cross('x', [a, b]);
      }).model;
    });
    expect(foreign).to.throw("cg.x crosses 'b', which is of another group");
    const few = declare((g) => g.cross('x', [g.coverpoint('a', self, AB)]));
    expect(few).to.throw('cg.x crosses 1 coverpoints; it takes two or more');
    const many = declare((g) => {
      const points = ['a', 'b', 'c'].map((name) => g.coverpoint(name, self, binArray('v', [[0, 200]])));
      g.cross('x', points);
    });
    expect(many).to.throw('cg.x has 8242408 combinations of outcomes');
  });

  it('is refused for a selection of a bin that is not there, with the nearest that is', () => {
    const misspelt = declare((g) => {
      const a = g.coverpoint('a', self, [bins('small', 1), bins('large', 2)]);
      const b = g.coverpoint('b', self, AB);
      g.cross('x', [a, b], { ignore: { no: binsof(a, 'smal') } });
    });
    expect(misspelt).to.throw("cg.x: bin 'no': 'a' has no bin 'smal' to cover; did you mean small?");
  });
});
