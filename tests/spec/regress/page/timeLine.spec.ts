import { expect } from 'chai';
import fc from 'fast-check';
import { timeAxis } from '../../../../regress/page/timeAxis.ts';
import { timeLineSchema } from '../../../../regress/page/timeLine.ts';
import { timeLineSvg } from '../../../../regress/page/timeLineSvg.ts';
import { aTimeLine } from '../../support/storedRegressions.ts';

describe('The axis of a time line', () => {
  it('keeps the order of all moments, none closer than can be seen, and is no wider than it may be', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 50), { minLength: 1, maxLength: 200 }), (times) => {
        const { at, moments, width } = timeAxis(times);
        const places = moments.map(at);
        expect(places.every((x, i) => i === 0 || x - (places[i - 1] as number) >= 4.99)).to.equal(true);
        expect(width).to.be.at.most(Math.max(2700, moments.length * 11));
      }),
    );
  });

  it('draws a gap that is much longer than the others short, and says how long it is', () => {
    const { at, breaks } = timeAxis([0, 1000, 2000, 3_000_000_000, 3_000_001_000]);
    expect(breaks).to.deep.include.members([{ x: at(2000) + 28, length: 2_999_998_000 }]);
    expect(at(3_000_000_000) - at(2000)).to.equal(56);
  });
});

describe('A time line as SVG', () => {
  const svg = timeLineSvg(aTimeLine());

  it('has the PSNs of a queue pair in the order of their use, over the end of the numbers, as findings write them', () => {
    expect([...svg.matchAll(/>(0x[0-9a-f]{6})<\/text>/g)].map(([, psn]) => psn)).to.deep.equal([
      '0xffffff',
      '0x000000',
    ]);
  });

  it('rings what is accused and what is against it, and marks the moment of the finding', () => {
    expect(svg.match(/class="accused"/g)).to.have.length(1);
    expect(svg.match(/class="against"/g)).to.have.length(1);
    expect(svg).to.contain('SCB_DATA at 9ms');
  });

  it('draws the flight of packets up to where they are lost or arrive, and lanes for work and PCIe', () => {
    expect(svg.match(/class="flight request"/g)).to.have.length(3);
    expect(svg).to.contain('PCIe of host 0');
    expect(svg).to.match(/class="m completion"/);
  });

  it('writes out what texts of runs would do in it', () => {
    const text = '<script>alert(1)</script>"\'&';
    const line = aTimeLine({ finding: { id: text, time: 1, text }, pairs: [] });
    const hostile = timeLineSvg({ ...line, marks: line.marks.map((mark) => ({ ...mark, text })) });
    expect(hostile).not.to.contain('<script');
  });

  it('is made of data that its reader takes', () => {
    expect(timeLineSchema.parse(aTimeLine())).to.deep.equal(aTimeLine());
  });
});
