import { expect } from 'chai';
import fc from 'fast-check';
import type { DmaEngine } from '../../../../dut-model/roce/dmaEngine.ts';
import { FAILED, MISS, UNMAPPED } from '../../../../dut-model/hangu/model/memory/entryTable.ts';
import { IcmCache } from '../../../../dut-model/hangu/model/memory/icmCache.ts';
import { IcmTableMap } from '../../../../dut-model/hangu/model/memory/icmMap.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { FakeDma } from '../../support/fakeDma.ts';

const bytes = ByteStore.create();
const ENTRY = 64;

function make(lines: number, ways: number): { cache: IcmCache; dma: FakeDma } {
  const table = new IcmTableMap('mpt');
  table.entries = 4096;
  for (let page = 0; page < 8; page++) table.map(page, 0, page * 4096);
  const dma = new FakeDma(bytes, ENTRY);
  return { cache: new IcmCache(table, dma as unknown as DmaEngine, bytes, lines, ways), dma };
}

/** Looks up as the NIC does: asks, waits, asks again. */
function get(cache: IcmCache, dma: FakeDma, index: number): number {
  let resumed = 0;
  const asker = { resume: (): void => void resumed++ };
  let at = cache.lookup(index, asker);
  if (at === MISS) {
    dma.answer();
    expect(resumed).to.equal(1);
    at = cache.lookup(index, asker);
  }
  return at;
}

describe('IcmCache', () => {
  it('gives every entry the value written last, whatever was evicted in between', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.option(fc.integer({ min: 1, max: 1 << 30 })));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.constantFrom(1, 2, 4), (steps, ways) => {
        const { cache, dma } = make(16, ways);
        const model = new Map<number, number>();
        for (const [index, value] of steps) {
          const at = get(cache, dma, index);
          expect(bytes.i32[at >> 2]).to.equal(model.get(index) ?? 0);
          if (value === null) continue;
          bytes.i32[at >> 2] = value;
          cache.touch(at);
          model.set(index, value);
        }
      }),
    );
  });

  it('fetches a line once for all who ask while the fetch is under way, and resumes them in order', () => {
    const { cache, dma } = make(16, 4);
    const order: number[] = [];
    for (let i = 0; i < 3; i++) expect(cache.lookup(5, { resume: () => void order.push(i) })).to.equal(MISS);
    dma.answer();
    expect(dma.reads).to.equal(1);
    expect(order).to.deep.equal([0, 1, 2]);
  });

  it('makes an asker wait when every way of its set is being filled, and lets it in afterwards', () => {
    const { cache, dma } = make(16, 1);
    let resumed = 0;
    cache.lookup(3, { resume: () => {} });
    expect(cache.lookup(3 + 16, { resume: () => void resumed++ })).to.equal(MISS);
    expect(dma.reads).to.equal(1);
    dma.answer();
    expect(resumed).to.equal(1);
    expect(get(cache, dma, 3 + 16)).to.be.greaterThan(0);
  });

  it('knows a line again that was noted until it is altered or has left, whatever happens to others', () => {
    const { cache, dma } = make(16, 1);
    const at = get(cache, dma, 3);
    const [record, changes] = [cache.latestRecord, cache.changes];
    get(cache, dma, 4);
    get(cache, dma, 4 + 16);
    expect(cache.again(3, record, changes)).to.equal(true);
    expect([cache.latest, cache.latestRecord]).to.deep.equal([3, record]);
    const later = cache.changes;
    cache.alter(at);
    expect(cache.again(3, record, changes)).to.equal(false);
    expect(cache.again(3, record, later)).to.equal(false);
    const altered = cache.changes;
    expect(cache.again(3, record, altered)).to.equal(true);
    get(cache, dma, 3 + 16);
    get(cache, dma, 3);
    expect(cache.again(3, record, altered)).to.equal(false);
    cache.clear();
    expect(cache.again(3, record, 0)).to.equal(false);
  });

  it('does not evict a pinned line: who needs its place waits until it is unpinned as often as it was pinned', () => {
    const { cache, dma } = make(16, 1);
    const at = get(cache, dma, 3);
    expect(cache.pin(3)).to.equal(true);
    expect(cache.pin(3)).to.equal(true);
    let resumed = 0;
    expect(cache.lookup(3 + 16, { resume: () => void resumed++ })).to.equal(MISS);
    cache.unpin(3);
    cache.wake();
    expect(resumed).to.equal(0);
    expect(cache.lookup(3, { resume: () => {} })).to.equal(at);
    cache.unpin(3);
    cache.wake();
    expect(resumed).to.equal(1);
    expect(get(cache, dma, 3 + 16)).to.be.greaterThan(0);
    expect(cache.holds(3)).to.equal(false);
  });

  it('pins nothing that is not there, and takes an unpin of it for nothing', () => {
    const { cache, dma } = make(16, 1);
    expect(cache.pin(9)).to.equal(false);
    cache.lookup(9, { resume: () => {} });
    expect(cache.pin(9)).to.equal(false);
    cache.unpin(9);
    dma.answer();
    expect(get(cache, dma, 9 + 16)).to.be.greaterThan(0);
  });

  it('lets everybody who asked for a line see it, whatever the first of them asks for next', () => {
    const { cache, dma } = make(16, 1);
    const seen: number[] = [];
    cache.lookup(3, { resume: () => void cache.lookup(3 + 16, { resume: () => {} }) });
    cache.lookup(3, { resume: () => void seen.push(cache.lookup(3, { resume: () => {} })) });
    dma.answer();
    expect(seen[0]).to.be.greaterThan(0);
  });

  it('says so when the page is not mapped, and reads nothing', () => {
    const { cache, dma } = make(16, 4);
    expect(cache.lookup(4000, { resume: () => {} })).to.equal(UNMAPPED);
    expect(dma.reads).to.equal(0);
  });

  it('reports a failed fetch to those who asked, and tries again for the next', () => {
    const { cache, dma } = make(16, 4);
    let seen = 0;
    const asker = {
      resume: (): void => {
        seen = cache.lookup(7, asker);
      },
    };
    dma.fail = true;
    cache.lookup(7, asker);
    dma.answer();
    expect(seen).to.equal(FAILED);
    dma.fail = false;
    expect(get(cache, dma, 7)).to.be.greaterThan(0);
  });

  it('writes changed lines of a page back before the page is unmapped', () => {
    const { cache, dma } = make(16, 4);
    const at = get(cache, dma, 2);
    bytes.i32[at >> 2] = 77;
    cache.touch(at);
    cache.flushPages(0, 1);
    expect(dma.memory.get(2 * ENTRY)).to.equal(77);
    expect(cache.holds(2)).to.equal(false);
  });
});
