import { expect } from 'chai';
import type { MrInfo } from '../../../agents/verbs/verbsItems.ts';
import { AreaItem } from '../../../agents/verbs/memoryItems.ts';
import { HanguAddressMap } from '../../../dut-model/hangu/driver/kind/addressMap.ts';
import { MappedPages } from '../../../env/memory/mappedPages.ts';

const PROCESS = 3;
const DATA_HI = 0x8020;

describe('MappedPages', () => {
  function bench() {
    const map = new HanguAddressMap(7);
    const pages = new MappedPages(map);
    const area = (hi: number, lo: number, length: number, allowed: boolean): void => {
      const item = Object.assign(new AreaItem(), { hi, lo, length });
      if (allowed) pages.areaOpened(item);
      else pages.areaClosed(item);
    };
    const regions = new Map<number, MrInfo>();
    const region = (key: number, hi: number, lo: number, length: number): void => {
      const info = { host: 0, process: PROCESS, pd: 1, key, hi, lo, length, access: 0, zeroBased: false };
      regions.set(key, info);
      pages.mrRegistered(info);
    };
    const forget = (key: number): void => pages.mrDeregistered(regions.get(key) as MrInfo);
    const at = (hi: number, lo: number): boolean => {
      map.translate(PROCESS, hi, lo);
      return pages.readable(map.physHi, map.physLo >>> 12);
    };
    return { area, region, forget, at, pages };
  }

  it('let nothing be read at first', () => {
    const { at, pages } = bench();
    expect(pages.readable(0x7f00, 1)).to.equal(false);
    expect(at(DATA_HI, 0x5000)).to.equal(false);
  });

  it('hold every page that a region touches, and no other', () => {
    const { region, at } = bench();
    region(1, DATA_HI, 0x5ff0, 0x1020);
    expect([0x4000, 0x5000, 0x6000, 0x7000, 0x8000].map((lo) => at(DATA_HI, lo))).to.deep.equal([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(at(DATA_HI + 1, 0x5000)).to.equal(false);
  });

  it('hold both sides of a region that crosses 4 GiB', () => {
    const { region, at } = bench();
    region(1, DATA_HI, 0xffff_f000 | 0, 0x2000);
    expect(at(DATA_HI, 0xffff_e000 | 0)).to.equal(false);
    expect(at(DATA_HI, 0xffff_f000 | 0)).to.equal(true);
    expect(at(DATA_HI + 1, 0)).to.equal(true);
    expect(at(DATA_HI + 1, 0x1000)).to.equal(false);
  });

  it('forget a region, but not the page that another one shares with it', () => {
    const { region, forget, at } = bench();
    region(1, DATA_HI, 0x5000, 100);
    region(2, DATA_HI, 0x5800, 0x1000);
    expect([at(DATA_HI, 0x5000), at(DATA_HI, 0x6000)]).to.deep.equal([true, true]);
    forget(2);
    expect([at(DATA_HI, 0x5000), at(DATA_HI, 0x6000)]).to.deep.equal([true, false]);
    forget(1);
    forget(1);
    expect(at(DATA_HI, 0x5000)).to.equal(false);
  });

  it('hold an area as long as it is open, and a page as long as one of its areas is', () => {
    const { area, pages } = bench();
    area(0x1000, 0x3000, 0x2000, true);
    area(0x1000, 0x4800, 64, true);
    expect([2, 3, 4, 5].map((page) => pages.readable(0x1000, page))).to.deep.equal([false, true, true, false]);
    area(0x1000, 0x3000, 0x2000, false);
    expect([2, 3, 4, 5].map((page) => pages.readable(0x1000, page))).to.deep.equal([false, false, true, false]);
    expect(pages.readable(0x1001, 4)).to.equal(false);
  });

  it('remember what they found, for thousands of pages', () => {
    const { region, forget, at } = bench();
    region(1, DATA_HI, 0, 5000 * 4096);
    const count = (): number => Array.from({ length: 5001 }, (_, i) => at(DATA_HI, i << 12)).filter(Boolean).length;
    expect([count(), count()]).to.deep.equal([5000, 5000]);
    forget(1);
    expect(count()).to.equal(0);
  });

  it('forget a page for good, however often others are mapped, read and unmapped', () => {
    const { area, pages } = bench();
    area(0x1000, 0x3000, 0x1000, true);
    expect(pages.readable(0x1000, 3)).to.equal(true);
    area(0x1000, 0x3000, 0x1000, false);
    const wrong: number[] = [];
    for (let i = 0; i < 5000; i++) {
      if (pages.readable(0x1000, 3)) wrong.push(i);
      area(0x1000, 0x7000, 0x1000, true);
      if (!pages.readable(0x1000, 7)) wrong.push(i);
      area(0x1000, 0x7000, 0x1000, false);
    }
    expect(wrong).to.deep.equal([]);
  });
});
