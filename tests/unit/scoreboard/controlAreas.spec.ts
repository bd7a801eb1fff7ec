import { expect } from 'chai';
import { A_RING, ANYWHERE, ControlAreas, NO_AREA } from '../../../scoreboard/controlAreas.ts';

const PAGE = 4096;
const COUNT = 3000;

function allow(areas: ControlAreas, from: number, to: number): void {
  for (let i = from; i < to; i++) areas.allow(i % 2, 'cq', 2, i * PAGE, PAGE, i, 0, PAGE, 32);
}

function found(areas: ControlAreas): number[] {
  return Array.from({ length: COUNT }, (_, i) => areas.areaOf(i % 2, 2, i * PAGE + 32, 32));
}

describe('ControlAreas', () => {
  it('finds the same areas whether room was made for them before, in between or never', () => {
    const grown = new ControlAreas();
    allow(grown, 0, COUNT);
    const before = new ControlAreas();
    before.reserve(COUNT);
    allow(before, 0, COUNT);
    const between = new ControlAreas();
    allow(between, 0, 100);
    between.reserve(COUNT);
    allow(between, 100, COUNT);
    expect(found(grown)).not.to.include(NO_AREA);
    expect(found(before)).to.deep.equal(found(grown));
    expect(found(between)).to.deep.equal(found(grown));
  });

  it('does not grow while there is room', () => {
    const areas = new ControlAreas();
    areas.reserve(COUNT);
    const { words } = areas;
    allow(areas, 0, COUNT);
    expect(areas.words).to.equal(words);
  });

  it('lets a queue go on in another ring at any entry, keeps to that, and knows the old ring until it is closed', () => {
    const areas = new ControlAreas();
    const ringAt = (lo: number): number => areas.words[areas.areaOf(0, 2, lo, 32) + A_RING] as number;
    areas.allow(0, 'cq', 2, 0, PAGE, 7, 0, PAGE, 32);
    areas.setRingNext(ringAt(0), 96);
    for (const at of [0, PAGE]) areas.allow(0, 'cq', 2, 8 * PAGE + at, PAGE, 7, at, 2 * PAGE, 32, true);
    const [before, after] = [ringAt(0), ringAt(8 * PAGE)];
    expect(ringAt(9 * PAGE))
      .to.equal(after)
      .and.not.to.equal(before);
    expect([before, after].map((ring) => areas.ringNext(ring))).to.deep.equal([96, ANYWHERE]);
    areas.forbid(0, 2, 0, PAGE);
    expect([ringAt(8 * PAGE), areas.ringId(after)]).to.deep.equal([after, 7]);
  });
});
