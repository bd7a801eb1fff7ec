import { expect } from 'chai';
import { CHUNK_LOG2, DataPages, NOT_STORED, PAGE_STRIDE_LOG2 } from '../../../scoreboard/dataPages.ts';
import { Windows } from '../../../scoreboard/windows.ts';
import { FakeMemory } from './fakeMemory.ts';

const DATA = 0x8000;

function made(): { memory: FakeMemory; windows: Windows; pages: DataPages } {
  const memory = new FakeMemory(3);
  const windows = new Windows();
  return { memory, windows, pages: new DataPages(memory, windows) };
}

describe('DataPages', () => {
  it('finds key and place of pages in many windows, asked for in any order', () => {
    const { memory, windows, pages } = made();
    const asked: [entry: number, key: number, place: number][] = [];
    for (let i = 0; i < 12; i++) windows.open(i % 3, i >> 2, DATA, (i & 3) << 18);
    for (let i = 0; i < 3000; i++) {
      const [host, process, page] = [i % 3, i % 2, Math.imul(i, 0x9e3779b1) >>> 12];
      const entry = pages.entry(windows.open(host, process, DATA, page), page);
      memory.translate(host, process, DATA, page << 12);
      const [hi, lo] = [memory.physHi, memory.physLo];
      const place = i % 5 === 0 ? memory.touch(host, hi, lo) : memory.page(host, hi, lo >>> 12);
      asked.push([entry, memory.pageKey(host, hi, lo >>> 12), place]);
    }
    for (const [entry, key, place] of asked) {
      expect(pages.key(entry)).to.equal(key);
      if (place >= 0) expect(pages.place(entry)).to.equal(place);
    }
  });

  it('gives a page the same entry every time, and no two pages the same', () => {
    const { windows, pages } = made();
    const seen = new Map<number, number>();
    for (const window of [windows.open(2, 1, DATA, 0), windows.open(0, 0, DATA, 0)]) {
      for (const page of [0, 1, 7, 8, 9, (1 << 18) - 1, ...Array.from({ length: 2000 }, (_, i) => 64 + 8 * i)]) {
        const entry = pages.entry(window, page);
        expect(seen.has(entry)).to.equal(false);
        seen.set(entry, page);
        expect(pages.entry(window, page)).to.equal(entry);
      }
    }
  });

  it('keeps what it knows when room is made for more', () => {
    const { windows, pages } = made();
    const window = windows.open(0, 1, DATA, 0);
    const entry = pages.entry(window, 5);
    const key = pages.key(entry);
    pages.reserve(1000);
    expect(pages.words.length).to.be.at.least(1001 << (PAGE_STRIDE_LOG2 + CHUNK_LOG2));
    expect([pages.entry(window, 5), pages.key(entry)]).to.deep.equal([entry, key]);
  });

  it('asks again for the place of a page until it is stored, and then no more', () => {
    const { memory, windows, pages } = made();
    const entry = pages.entry(windows.open(1, 3, DATA, 77), 77);
    expect(pages.place(entry)).to.equal(NOT_STORED);
    memory.translate(1, 3, DATA, 77 << 12);
    const place = memory.touch(1, memory.physHi, memory.physLo);
    expect(pages.place(entry)).to.equal(place);
    memory.page = () => expect.fail('asked again');
    expect(pages.place(entry)).to.equal(place);
  });
});
