import { expect } from 'chai';
import fc from 'fast-check';
import { bins, ignore, illegal, step, transitionArray, transitions } from '../../../../uvm/coverage/binSpec.ts';
import type { Repetition, Step } from '../../../../uvm/coverage/step.ts';
import { binNames, pointGroup, pointHits, sampled } from './sampling.ts';

describe('Transition bins', () => {
  it('count every time the last samples were their sequence, also where sequences overlap', () => {
    expect(pointHits(transitions('t', [1, 2, 1]), [1, 2, 1, 2, 1, 3, 1, 2])).to.deep.equal({ t: 2 });
  });

  it('take any of several values a step, and any of several sequences', () => {
    const t = transitions('t', [step(1, [5, 7]), step(2, 3)], [0, 0]);
    expect(pointHits(t, [1, 2, 6, 3, 4, 2, 0, 0, 0])).to.deep.equal({ t: 4 });
  });

  it('repeat a step in a row, from some to some times', () => {
    expect(pointHits(transitions('t', [step(3).times(4)]), [3, 3, 3, 3, 3, 1, 3, 3, 3])).to.deep.equal({ t: 2 });
    expect(pointHits(transitions('t', [1, step(3).times(2, 3), 1]), [1, 3, 1, 3, 3, 1, 3, 3, 3, 3, 1])).to.deep.equal({
      t: 1,
    });
  });

  it('let others come between with goto, and the next step follow at once', () => {
    // IEEE 1800-2017 19.5.2: 1 => 3[->3] => 5 is 1=>...3=>...3=>...3=>5.
    const t = transitions('t', [1, step(3).goTo(3), 5]);
    expect(pointHits(t, [1, 0, 3, 3, 9, 3, 5])).to.deep.equal({ t: 1 });
    expect(pointHits(t, [1, 3, 3, 3, 9, 5])).to.deep.equal({});
  });

  it('let others come after the last one too where repetition is not consecutive', () => {
    const t = transitions('t', [1, step(2).nonConsecutive(2), 6]);
    expect(pointHits(t, [1, 2, 0, 2, 9, 9, 6])).to.deep.equal({ t: 1 });
    expect(pointHits(t, [1, 2, 2, 2, 6])).to.deep.equal({});
  });

  it('are one for each sequence of single values in an array', () => {
    expect(binNames(pointGroup(transitionArray('t', [step(1, 5), step(6, 7)])))).to.deep.equal([
      't[1=>6]',
      't[1=>7]',
      't[5=>6]',
      't[5=>7]',
    ]);
  });

  it('go on over samples that are none of the coverpoint', () => {
    const options = { iff: (n: number) => n !== 9 };
    expect(pointHits(transitions('t', [1, 2]), [1, 9, 2], options)).to.deep.equal({ t: 1 });
  });

  it('stand beside bins of values', () => {
    expect(pointHits([bins('two', 2), transitions('t', [1, 2])], [2, 1, 2])).to.deep.equal({ two: 2, t: 1 });
  });

  it('yield to ignored and illegal ones', () => {
    const given = [
      transitions('t', [step([0, 9]), 5]),
      ignore(transitions('skip', [1, 5])),
      illegal(transitions('bad', [2, 5])),
    ];
    const { hits, illegal: texts } = sampled(pointGroup(given), [0, 5, 1, 5, 2, 5]);
    expect(hits).to.deep.equal({ 'v.t': 1, 'v.skip': 1, 'v.bad': 1 });
    expect(texts).to.deep.equal(["cg.v is 5: hits illegal bin 'bad'"]);
  });

  it('say in the model what they are', () => {
    const t = transitions('t', [1, step(2, [4, 6]).times(2, 3), step(3).goTo(2), step(3).nonConsecutive(1, 4)]);
    expect(pointGroup(t).model.items[0]?.bins[0]?.sequences).to.deep.equal(['1=>2,[4:6][*2:3]=>3[->2]=>3[=1:4]']);
  });

  const alphabet = 3;
  const values = fc.uniqueArray(fc.nat(alphabet - 1), { minLength: 1, maxLength: 2 });
  const repetition = fc
    .tuple(fc.constantFrom('times', 'goTo', 'nonConsecutive'), fc.integer({ min: 1, max: 2 }), fc.nat(1))
    .map(([how, from, more]) => ({ how, from, to: from + more }) as const);
  const anyStep = fc
    .tuple(values, fc.option(repetition, { freq: 2 }))
    .map(([given, r]) => (r === null ? step(...given) : step(...given)[r.how](r.from, r.to)));
  const sequence = fc.array(anyStep, { minLength: 2, maxLength: 3 });

  it('of any sequence agree with a regular expression that is tried after every sample', () => {
    fc.assert(
      fc.property(
        fc.array(sequence, { minLength: 1, maxLength: 2 }),
        fc.array(fc.nat(alphabet), { maxLength: 40 }),
        (sequences, samples) => {
          const expected = samples.filter((_, i) => {
            const before = samples.slice(0, i + 1).join('');
            return sequences.some((steps) => new RegExp(`(?:${expressionOf(steps)})$`).test(before));
          }).length;
          const hits = pointHits(transitions('t', ...sequences), samples);
          expect(hits['t'] ?? 0).to.equal(expected);
        },
      ),
    );
  });

  function expressionOf(steps: readonly Step[]): string {
    return steps.map((given, i) => stepExpression(given, i === steps.length - 1)).join('');
  }

  function stepExpression(given: Step, last: boolean): string {
    if (typeof given === 'number') return `${given}`;
    const inside = `[${given.values.join('')}]`;
    const outside = `[^${given.values.join('')}]*`;
    const { how, from, to }: Repetition = given.repetition;
    if (how === 'consecutive') return `${inside}{${from},${to}}`;
    const some = `(?:${outside}${inside}){${from},${to}}`;
    return how === 'goto' || last ? some : `${some}${outside}`;
  }
});
