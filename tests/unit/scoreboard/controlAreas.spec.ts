import { expect } from 'chai';
import { ControlAreas, NO_AREA } from '../../../scoreboard/controlAreas.ts';

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
});
