import { expect } from 'chai';
import { CHUNK_LOG2, DataPages, NO_PAGE, NOT_STORED, PAGE_STRIDE_LOG2 } from '../../../scoreboard/memory/dataPages.ts';
import { FakeMemory } from './fakeMemory.ts';

const DATA = 0x8000;

function made(): { memory: FakeMemory; pages: DataPages } {
  const memory = new FakeMemory(3);
  return { memory, pages: new DataPages(memory) };
}

describe('DataPages', () => {
  it('finds key and place of pages in many windows, asked for in any order', () => {
    const { memory, pages } = made();
    const asked: [entry: number, key: number, place: number][] = [];
    for (let i = 0; i < 3000; i++) {
      const [host, process, page] = [i % 3, i % 2, Math.imul(i, 0x9e3779b1) >>> 12];
      const entry = pages.at(host, process, DATA, page);
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
    const { pages } = made();
    const seen = new Map<number, number>();
    for (const [host, process, hi] of [
      [2, 1, DATA],
      [0, 0, DATA],
      [0, 0, DATA | 2],
    ] as const) {
      for (const page of [0, 1, 7, 8, 9, (1 << 18) - 1, ...Array.from({ length: 2000 }, (_, i) => 64 + 8 * i)]) {
        const entry = pages.at(host, process, hi, page);
        expect(seen.has(entry)).to.equal(false);
        seen.set(entry, page);
        expect(pages.at(host, process, hi, page)).to.equal(entry);
        expect(pages.find(host, process, hi, page)).to.equal(entry);
      }
      expect(pages.find(host, process, hi, 1 << 19)).to.equal(NO_PAGE);
    }
  });

  it('keeps what it knows when room is made for more', () => {
    const { pages } = made();
    const entry = pages.at(0, 1, DATA, 5);
    const key = pages.key(entry);
    pages.reserve(1000);
    expect(pages.words.length).to.be.at.least(1001 << (PAGE_STRIDE_LOG2 + CHUNK_LOG2));
    expect([pages.at(0, 1, DATA, 5), pages.key(entry)]).to.deep.equal([entry, key]);
  });

  it('numbers windows of 1 GiB in the order in which they are used', () => {
    const { pages } = made();
    const window = (host: number, process: number, hi: number, page: number): number =>
      pages.window(pages.at(host, process, hi, page));
    expect(window(1, 2, DATA, 5)).to.equal(1);
    expect(window(1, 2, DATA, 1 << 18)).to.equal(2);
    expect(window(1, 2, DATA, (1 << 18) - 1)).to.equal(1);
    expect([window(0, 2, DATA, 5), window(1, 1, DATA, 5), window(1, 2, DATA + 1, 5)]).to.deep.equal([3, 4, 5]);
    for (let i = 0; i < 1000; i++) expect(window(2, 0, i << 16, 1 << 19)).to.equal(6 + i);
    expect(window(1, 2, DATA, 7)).to.equal(1);
  });

  it('asks again for the place of a page until it is stored, and then no more', () => {
    const { memory, pages } = made();
    const entry = pages.at(1, 3, DATA, 77);
    expect(pages.place(entry)).to.equal(NOT_STORED);
    memory.translate(1, 3, DATA, 77 << 12);
    const place = memory.touch(1, memory.physHi, memory.physLo);
    expect(pages.place(entry)).to.equal(place);
    memory.page = () => expect.fail('asked again');
    expect(pages.place(entry)).to.equal(place);
  });
});
