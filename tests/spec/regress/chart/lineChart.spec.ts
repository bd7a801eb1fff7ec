import { expect } from 'chai';
import fc from 'fast-check';
import { type LineChart, lineChart, roundAxis } from '../../../../regress/chart/lineChart.ts';

/** Places of the panel: its left and right edge, its top and bottom. */
const [LEFT, RIGHT, TOP, BOTTOM] = [60, 520, 40, 320];

function chart(x: LineChart['panels'][0]['x'], points: readonly (readonly [number, number])[], dots = false): string {
  return lineChart({ title: 'a < b', panels: [{ x, y: { title: '' }, lines: [points] }], key: ['one & all'], dots });
}

function placesOf(svg: string): string | undefined {
  return /<polyline [^>]*points="([^"]*)"/.exec(svg)?.[1];
}

describe('A chart of lines', () => {
  it('puts the least and the largest point at the edges of its panel', () => {
    const svg = chart({ title: 'x' }, [
      [2, 10],
      [4, 30],
      [3, 20],
    ]);
    expect(placesOf(svg)).to.equal(`${LEFT},${BOTTOM} ${RIGHT},${TOP} ${(LEFT + RIGHT) / 2},${(TOP + BOTTOM) / 2}`);
  });

  it('spreads points by their logarithm where it is asked to', () => {
    const svg = chart({ title: 'x', log: true, marks: [1, 16, 256] }, [
      [1, 0],
      [16, 1],
      [256, 2],
    ]);
    expect(placesOf(svg)?.split(' ')[1]).to.equal(`${(LEFT + RIGHT) / 2},${(TOP + BOTTOM) / 2}`);
    expect(svg).to.contain('>256</text>');
  });

  it('keeps what lies beyond the ends that it is given at its edge', () => {
    const svg = chart({ title: 'x', from: 0, to: 10 }, [
      [-5, 1],
      [20, 2],
    ]);
    expect(placesOf(svg)).to.equal(`${LEFT},${BOTTOM} ${RIGHT},${TOP}`);
  });

  it('has a dot at each point where it is asked to, and no markup in its texts', () => {
    const svg = chart({ title: 'x' }, [[1, 1]], true);
    expect(svg.match(/<circle /g)).to.have.length(1);
    expect(svg).to.contain('a &lt; b').and.to.contain('one &amp; all');
    expect(svg).not.to.match(/NaN|undefined/);
  });

  it('has marks at round numbers that hold all values, and none between two that are counted', () => {
    expect(roundAxis(0, 24).marks).to.deep.equal([0, 5, 10, 15, 20, 25]);
    expect(roundAxis(0, 3, 1)).to.deep.equal({ from: 0, to: 3, marks: [0, 1, 2, 3] });
    expect(roundAxis(71.2, 100)).to.deep.equal({ from: 70, to: 100, marks: [70, 80, 90, 100] });
    expect(roundAxis(0, 0.03).marks).to.deep.equal([0, 0.01, 0.02, 0.03]);
    expect(roundAxis(0, 0, 1).marks).to.deep.equal([0, 1]);
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(number, fc.double({ min: 0.001, max: 1e6, noNaN: true }), (from, span) => {
        const axis = roundAxis(from, from + span);
        expect(axis.from).to.be.at.most(from + 1e-6 * span);
        expect(axis.to).to.be.at.least(from + span - 1e-6 * span);
        expect(axis.marks.length).to.be.within(2, 7);
      }),
    );
  });

  it('draws a panel of which nothing is known', () => {
    const svg = lineChart({
      title: '',
      panels: [{ x: { title: 'x' }, y: { title: 'y' }, lines: [[]] }],
      key: ['none'],
    });
    expect(svg).not.to.contain('<polyline');
    expect(svg).not.to.match(/NaN|undefined|Infinity/);
  });
});
