import { expect } from 'chai';
import fc from 'fast-check';
import { A_RING, ANYWHERE, ControlAreas, NO_AREA } from '../../../scoreboard/memory/ranges/controlAreas.ts';

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

  it('leave open of a wide area what lies in other pages than the range that closes', () => {
    const areas = new ControlAreas();
    areas.allow(0, 'icm', 1, 0x100 * PAGE, 0xff * PAGE, -1, 0, 0xff * PAGE, 1);
    areas.forbid(0, 1, 0xff * PAGE, 0xff * PAGE);
    const isOpen = (page: number): boolean => areas.areaOf(0, 1, page * PAGE, 32) !== NO_AREA;
    expect([0x100, 0x1f0, 0x1fd, 0x1fe].map(isOpen)).to.deep.equal([false, false, false, true]);
    areas.forbid(0, 1, 0x1fe * PAGE, 3 * PAGE);
    expect(isOpen(0x1fe)).to.equal(false);
  });

  it('knows which areas are open, whatever opens and closes beside them in their pages', () => {
    // Several to a page, some over two, around the end of 4 GiB; wide ones on both sides that share pages and blocks of
    // pages with them and with each other; the last is too large to be kept by page.
    const places = Array.from({ length: 12 }, (_, i) => ({ at: 0xffff_e000 + i * 800, length: 600 }));
    places.push({ at: 0xffff_5c00, length: 0x8100 }, { at: 0xffff_1000, length: 0x4b00 });
    places.push({ at: 0x1_0000_0580, length: 9 * PAGE }, { at: 0x1_0000_9600, length: 4 * PAGE });
    places.push({ at: 0x2_0000_0100, length: 4096 * 5000 });
    const change = fc.record({ host: fc.nat(1), place: fc.nat(places.length - 1) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const areas = new ControlAreas();
        const open = new Set<string>();
        for (const { host, place } of changes) {
          const { at, length } = places[place] as (typeof places)[number];
          const name = `${host}:${place}`;
          const [hi, lo] = [3 + Math.floor(at / 2 ** 32), at | 0];
          if (open.delete(name)) areas.forbid(host, hi, lo, length);
          else {
            areas.allow(host, 'icm', hi, lo, length, -1, 0, 0, 0);
            open.add(name);
          }
        }
        for (const host of [0, 1])
          for (const [place, { at, length }] of places.entries())
            for (const [from, n, inside] of [
              [at, 20, true],
              [at + length - 20, 20, true],
              [at + length - 10, 20, false],
              [at - 10, 20, false],
            ] as const) {
              const found = areas.areaOf(host, 3 + Math.floor(from / 2 ** 32), from | 0, n);
              expect(found !== NO_AREA, `${host}:${place} ${from - at}`).to.equal(
                inside && open.has(`${host}:${place}`),
              );
            }
      }),
      { numRuns: 150 },
    );
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
