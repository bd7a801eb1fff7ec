import { expect } from 'chai';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { ByteStore, ByteStoreFullError, PAGE_BYTES } from '../../../../uvm/bytes/byteStore.ts';

const IMPLEMENTATIONS = ['wasm', 'js'] as const;
const SPAN = 1 << 16;

/** A store with one region of pseudo-random bytes, and a plain copy of these. */
function filled(implementation: 'wasm' | 'js'): { store: ByteStore; off: number; model: Uint8Array } {
  const store = ByteStore.create({ implementation });
  const off = store.alloc(SPAN);
  let x = 12345;
  for (let i = 0; i < SPAN; i++) {
    x = (Math.imul(x, 1103515245) + 12345) | 0;
    store.u8[off + i] = x >>> 16;
  }
  return { store, off, model: store.u8.slice(off, off + SPAN) };
}

/** Sizes around every branch of the compiled code, and any others. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 80 }),
  fc.integer({ min: 120, max: 136 }),
  fc.integer({ min: 500, max: 600 }),
  fc.integer({ min: 0, max: 9000 }),
);
const start = fc.integer({ min: 0, max: 9999 });
const key = fc.integer();
const position = fc.oneof(fc.nat(10_000), fc.constantFrom(2 ** 31 - 8, 2 ** 32 - 8, 2 ** 40 + 3));

for (const implementation of IMPLEMENTATIONS) {
  describe(`ByteStore (${implementation})`, () => {
    it('has the implementation that was asked for', () => {
      expect(ByteStore.create({ implementation }).implementation).to.equal(implementation);
    });

    it('copies exactly the range, at any size and alignment', () => {
      const { store, off, model } = filled(implementation);
      fc.assert(
        fc.property(size, start, start, (n, from, to) => {
          store.copy(off + 20_000 + to, off + from, n);
          model.copyWithin(20_000 + to, from, from + n);
          expect(store.u8.subarray(off, off + SPAN)).to.deep.equal(model);
        }),
        { numRuns: 80 },
      );
    });

    it('zeroes exactly the range', () => {
      const { store, off, model } = filled(implementation);
      fc.assert(
        fc.property(size, start, (n, at) => {
          store.zero(off + at, n);
          model.fill(0, at, at + n);
          expect(store.u8.subarray(off, off + SPAN)).to.deep.equal(model);
        }),
        { numRuns: 80 },
      );
    });

    it('finds equal ranges equal, and the first of two differing bytes wherever they are', () => {
      const { store, off } = filled(implementation);
      fc.assert(
        fc.property(size, start, start, fc.nat(), fc.nat(), (n, from, to, i, j) => {
          const a = off + from;
          const b = off + 30_000 + to;
          store.copy(b, a, n);
          expect(store.equal(a, b, n)).to.equal(true);
          expect(store.firstDifference(a, b, n)).to.equal(-1);
          if (n === 0) return;
          flip(store, b + (i % n));
          expect(store.equal(a, b, n)).to.equal(false);
          expect(store.firstDifference(a, b, n)).to.equal(i % n);
          if (j % n !== i % n) flip(store, b + (j % n));
          expect(store.firstDifference(a, b, n)).to.equal(Math.min(i % n, j % n));
        }),
      );
    });

    it('does not look beyond the end of compared ranges', () => {
      const { store, off } = filled(implementation);
      for (let n = 0; n < 300; n++) {
        store.copy(off + 30_000, off + 1, n);
        store.u8[off + 30_000 + n] = (store.u8[off + 1 + n] as number) ^ 1;
        store.u8[off + 29_999] = (store.u8[off] as number) ^ 1;
        expect(store.equal(off + 1, off + 30_000, n), `${n} bytes`).to.equal(true);
      }
    });

    it('computes the CRC-32 of zlib at every length from 0 to 1100, in one piece and chained', () => {
      const { store, off, model } = filled(implementation);
      for (let n = 0; n <= 1100; n++) {
        const expected = crc32(model.subarray(n % 37, (n % 37) + n));
        expect(store.crc32(0, off + (n % 37), n), `${n} bytes`).to.equal(expected);
      }
      fc.assert(
        fc.property(size, start, fc.nat(), (n, at, cut) => {
          const first = n === 0 ? 0 : cut % n;
          const head = store.crc32(0, off + at, first);
          expect(store.crc32(head, off + at + first, n - first)).to.equal(crc32(model.subarray(at, at + n)));
        }),
      );
    });

    it('computes the CRC-32 of long ranges, around the lengths at which its blocks end', () => {
      const { store, off, model } = filled(implementation);
      for (const around of [2176, 4096, 4352, 6528, 8704]) {
        for (let n = around - 20; n <= around + 20; n++) {
          const at = n % 37;
          const head = crc32(model.subarray(0, at));
          const expected = crc32(model.subarray(0, at + n));
          expect(store.crc32(head, off + at, n), `${n} bytes`).to.equal(expected);
        }
      }
    });

    it('computes the published check value of CRC-32', () => {
      const { store, off } = filled(implementation);
      store.u8.set(Buffer.from('123456789'), off);
      expect(store.crc32(0, off, 9)).to.equal(0xcbf43926);
    });

    it('fills with pinned bytes', () => {
      const { store, off } = filled(implementation);
      store.fillSeeded(0, 0, off, 8);
      store.fillSeeded(0x12345678, 4093, off + 8, 8);
      store.fillSeeded(-1, 2 ** 32 - 4, off + 16, 8);
      expect(hex(store, off, 24)).to.equal('faf745dac88340b69f926297dfff5aa974f62a4b4a402fe9');
    });

    it('fills exactly the range, any part like the whole', () => {
      const { store, off } = filled(implementation);
      fc.assert(
        fc.property(key, position, size, fc.nat(), start, start, (k, at, n, cut, to, other) => {
          const a = off + to;
          const b = off + 30_000 + other;
          const first = n === 0 ? 0 : cut % n;
          const guards = [store.u8[a - 1], store.u8[a + n], store.u8[b - 1], store.u8[b + n]];
          store.fillSeeded(k, at, a, n);
          store.fillSeeded(k, at + first, b + first, n - first);
          store.fillSeeded(k, at, b, first);
          expect(store.firstDifference(a, b, n)).to.equal(-1);
          expect([store.u8[a - 1], store.u8[a + n], store.u8[b - 1], store.u8[b + n]]).to.deep.equal(guards);
        }),
      );
    });

    it('recognises seeded contents and finds the first wrong byte', () => {
      const { store, off } = filled(implementation);
      fc.assert(
        fc.property(key, position, size, start, fc.nat(), fc.nat(), (k, at, n, to, i, j) => {
          const a = off + to;
          store.fillSeeded(k, at, a, n);
          flip(store, a - 1);
          flip(store, a + n);
          expect(store.equalSeeded(k, at, a, n)).to.equal(true);
          expect(store.firstDifferenceSeeded(k, at, a, n)).to.equal(-1);
          if (n === 0) return;
          flip(store, a + (i % n));
          expect(store.equalSeeded(k, at, a, n)).to.equal(false);
          expect(store.firstDifferenceSeeded(k, at, a, n)).to.equal(i % n);
          if (j % n !== i % n) flip(store, a + (j % n));
          expect(store.firstDifferenceSeeded(k, at, a, n)).to.equal(Math.min(i % n, j % n));
        }),
      );
    });

    it('gives different contents for different keys, and bytes that look random', () => {
      const { store, off } = filled(implementation);
      store.fillSeeded(7, 0, off, 4096);
      store.fillSeeded(8, 0, off + 4096, 4096);
      let same = 0;
      const counts = new Array<number>(256).fill(0);
      for (let i = 0; i < 4096; i++) {
        if (store.u8[off + i] === store.u8[off + 4096 + i]) same++;
        const byte = store.u8[off + i] as number;
        counts[byte] = (counts[byte] as number) + 1;
      }
      expect(same).to.be.below(60);
      const chi = counts.reduce((sum, c) => sum + (c - 16) ** 2 / 16, 0);
      expect(chi).to.be.within(150, 380);
    });

    it('gives contents in which no place can be taken for another one, of the same key or of its neighbours', () => {
      const { store, off } = filled(implementation);
      const width = 16;
      const seen = new Map<string, string>();
      for (let k = 0; k < 12; k++) {
        store.fillSeeded(k, 0, off, 4096);
        const page = Buffer.from(store.u8.subarray(off, off + 4096)).toString('latin1');
        for (let at = 0; at + width <= 4096; at++) {
          const here = `${k}:${at}`;
          const place = page.slice(at, at + width);
          expect(seen.get(place), `as ${here}`).to.equal(undefined);
          seen.set(place, here);
        }
      }
    });

    it('hashes to pinned states', () => {
      const { store, off } = filled(implementation);
      const state = store.alloc(16);
      store.hashWords(state, 1, 2, 3, 4, 5);
      expect(hex(store, state, 16)).to.equal('a0262be92bad84e2d2a985a2db8e00f7');
      store.fillSeeded(1, 0, off, 300);
      store.hashInto(state, off, 300);
      expect(hex(store, state, 16)).to.equal('3b0407a2c7a758a287e847d0a2afd7b9');
    });

    it('hashes a message to a pinned state, and one without bytes like its words', () => {
      const { store, off } = filled(implementation);
      const state = store.alloc(32);
      store.fillSeeded(1, 0, off, 300);
      store.hashMessage(state, 1, 2, 3, 4, 5, off, 0);
      store.hashWords(state + 16, 1, 2, 3, 4, 5);
      expect(hex(store, state, 16)).to.equal(hex(store, state + 16, 16));
      store.hashMessage(state, 1, 2, 3, 4, 5, off, 300);
      expect(hex(store, state, 16)).to.equal('6dc442412102af1f8804fa65a69e2360');
    });

    it('copies and hashes at once what it copies and hashes apart', () => {
      const { store, off } = filled(implementation);
      const state = store.alloc(32);
      const to = store.alloc(600);
      for (let n = 0; n <= 300; n++) {
        const src = off + (n % 7);
        store.hashMessage(state, 1, 2, 3, n, 5, src, n);
        store.fillSeeded(n, 0, to, 400);
        const before = hex(store, to, 20);
        const behind = hex(store, to + 20 + n, 40);
        store.copyHashed(state + 16, 1, 2, 3, n, 5, to + 20, src, n);
        expect(hex(store, state + 16, 16)).to.equal(hex(store, state, 16));
        expect(hex(store, to + 20, n)).to.equal(hex(store, src, n));
        expect(hex(store, to, 20)).to.equal(before);
        expect(hex(store, to + 20 + n, 40)).to.equal(behind);
      }
    });

    it('makes and hashes at once what it makes and hashes apart', () => {
      const { store } = filled(implementation);
      const state = store.alloc(32);
      const to = store.alloc(1000);
      for (let n = 0; n <= 600; n = n < 70 ? n + 1 : n + 29) {
        for (let skew = 0; skew < 20; skew++) {
          store.fillSeeded(n, skew, to + skew, n);
          const made = hex(store, to + skew, n);
          store.hashMessage(state, 1, 2, 3, n, 5, to + skew, n);
          store.fillSeeded(n + 1, 0, to, 700);
          const before = hex(store, to, 20);
          const behind = hex(store, to + 20 + n, 40);
          store.fillHashed(state + 16, 1, 2, 3, n, 5, n, skew, to + 20, n);
          expect(hex(store, state + 16, 16)).to.equal(hex(store, state, 16));
          expect(hex(store, to + 20, n)).to.equal(made);
          expect(hex(store, to, 20)).to.equal(before);
          expect(hex(store, to + 20 + n, 40)).to.equal(behind);
        }
      }
    });

    it('hashes of messages depend on every word, every byte and the number of bytes', () => {
      const { store, off } = filled(implementation);
      const state = store.alloc(16);
      const seen = new Set<string>();
      const hash = (words: readonly number[], n: number): void => {
        const [a = 0, b = 0, c = 0, d = 0, e = 0] = words;
        store.zero(state, 16);
        store.hashMessage(state, a, b, c, d, e, off, n);
        seen.add(hex(store, state, 16));
      };
      store.zero(off, 256);
      for (let n = 0; n <= 100; n++) hash([1, 2, 3, 4, 5], n);
      for (let i = 0; i < 100; i++) {
        flip(store, off + i);
        hash([1, 2, 3, 4, 5], 100);
        flip(store, off + i);
      }
      for (let i = 0; i < 5; i++) hash([1, 2, 3, 4, 5].with(i, 9), 100);
      expect(seen.size).to.equal(206);
    });

    it('hashes depend on every byte, on the length and on the state before', () => {
      const { store, off } = filled(implementation);
      const state = store.alloc(16);
      const hash = (n: number): string => {
        store.zero(state, 16);
        store.hashInto(state, off, n);
        return hex(store, state, 16);
      };
      store.zero(off, 256);
      const seen = new Set<string>();
      for (let n = 0; n <= 200; n++) seen.add(hash(n));
      expect(seen.size, 'zeros of different lengths').to.equal(201);
      for (let i = 0; i < 200; i++) {
        flip(store, off + i);
        seen.add(hash(200));
        flip(store, off + i);
      }
      expect(seen.size, 'one byte changed').to.equal(401);
      flip(store, off + 200);
      expect(seen.has(hash(200)), 'a byte beyond the end').to.equal(true);
    });

    it('hands out zeroed, aligned regions that do not overlap, also after a reset', () => {
      const store = ByteStore.create({ implementation });
      for (let run = 0; run < 2; run++) {
        const a = store.alloc(100);
        const b = store.alloc(1, 4096);
        const c = store.alloc(5, 1);
        expect(a % 64).to.equal(0);
        expect(b % 4096).to.equal(0);
        expect(b).to.be.at.least(a + 100);
        expect(c).to.be.at.least(b + 1);
        for (const [off, n] of [
          [a, 100],
          [b, 1],
          [c, 5],
        ] as const) {
          expect(store.u8.subarray(off, off + n).every((x) => x === 0)).to.equal(true);
          store.u8.fill(0xff, off, off + n);
        }
        store.reset();
      }
    });

    it('zeroes a region that lies where pages were in the run before', () => {
      const store = ByteStore.create({ implementation });
      const page = store.allocPage();
      store.u8.fill(0xaa, page, page + PAGE_BYTES);
      store.reset();
      const off = store.alloc(page + PAGE_BYTES);
      expect(store.u8.subarray(off, off + page + PAGE_BYTES).every((x) => x === 0)).to.equal(true);
    });

    it('puts small regions that come between pages into one gap, zeroed', () => {
      const store = ByteStore.create({ implementation });
      store.u8.fill(0xaa);
      store.alloc(1);
      const pages: number[] = [];
      const regions: number[] = [];
      for (let i = 0; i < 40; i++) {
        pages.push(store.allocPage());
        regions.push(store.alloc(80, 16));
      }
      const used = regions.map((off) => off % 4096);
      expect(Math.max(...pages) - Math.min(...pages)).to.be.at.most(41 * PAGE_BYTES);
      expect(new Set([...pages, ...regions.map((off, i) => off - (used[i] as number))]).size).to.be.at.most(42);
      for (const [i, off] of regions.entries()) {
        if (i > 0) expect(off).to.be.at.least((regions[i - 1] as number) + 80);
        store.u8.fill(i + 1, off, off + 80);
      }
      for (const [i, off] of regions.entries()) expect(store.u8[off + 79]).to.equal(i + 1);
    });

    it('repeats the same offsets after a reset', () => {
      const store = ByteStore.create({ implementation });
      const offsets = (): number[] => {
        const first = store.allocPage();
        const second = store.allocPage();
        store.freePage(first);
        return [first, second, store.alloc(77), store.allocPage(), store.allocPage(), store.alloc(8)];
      };
      const before = offsets();
      store.reset();
      expect(store.pagesInUse).to.equal(0);
      expect(offsets()).to.deep.equal(before);
    });

    it('never hands out a page twice, whatever is freed in between', () => {
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 300 }), (steps) => {
          const store = ByteStore.create({ implementation: 'js' });
          const held: number[] = [];
          for (const step of steps) {
            if (step % 3 === 0 && held.length > 0) store.freePage(held.splice(step % held.length, 1)[0] as number);
            else held.push(store.allocPage());
            expect(store.pagesInUse).to.equal(held.length);
          }
          expect(new Set(held).size).to.equal(held.length);
          for (const page of held) expect(page % PAGE_BYTES).to.equal(0);
        }),
        { numRuns: 20 },
      );
    });

    it('grows on demand, replacing its views and keeping what was written', () => {
      const store = ByteStore.create({ implementation });
      const off = store.alloc(4);
      store.u8[off] = 42;
      const before = store.u8;
      const big = store.alloc(40 << 20);
      expect(store.u8).to.not.equal(before);
      expect(store.u8[off]).to.equal(42);
      expect(store.i32[off >>> 2]).to.equal(42);
      expect(store.i32.length).to.equal(store.u8.length / 4);
      store.fillSeeded(1, 0, big + (40 << 20) - 100, 100);
      expect(store.equalSeeded(1, 0, big + (40 << 20) - 100, 100)).to.equal(true);
    });

    it('says what to do when it is full', () => {
      const store = ByteStore.create({ implementation, maxBytes: 2 << 20 });
      expect(() => store.alloc(3 << 20)).to.throw(ByteStoreFullError, 'maxBytes');
      expect(() => {
        for (;;) store.allocPage();
      }).to.throw(ByteStoreFullError, '2 MiB');
      store.reset();
      expect(store.alloc(16)).to.be.above(0);
    });

    it('refuses limits it cannot keep', () => {
      for (const maxBytes of [0, 2 ** 32 + 1, Number.NaN]) {
        expect(() => ByteStore.create({ implementation, maxBytes })).to.throw(RangeError, `${maxBytes}`);
      }
    });
  });
}

describe('ByteStore: the two implementations', () => {
  it('give the same results for any sequence of operations', () => {
    const stores = [filled('wasm'), filled('js')];
    const step = fc.record({ op: fc.nat(10), n: size, a: start, b: start, key, position });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, minLength: 1 }), (steps) => {
        const results = stores.map(({ store, off }) => steps.map((s) => apply(store, off, s)));
        expect(results[1]).to.deep.equal(results[0]);
        const [wasm, js] = stores.map(({ store, off }) => store.u8.subarray(off, off + SPAN));
        expect(Buffer.compare(wasm as Uint8Array, js as Uint8Array)).to.equal(0);
      }),
    );
  });
});

describe('ByteStore beyond 2 GiB', () => {
  it('works on pages up to 4 GiB, and keeps regions below 2 GiB', function () {
    const store = ByteStore.create({ implementation: 'wasm' });
    const region = store.alloc(4096);
    let page = 0;
    try {
      // The pages in between are taken but not touched: this costs address space only.
      while (page < 2 ** 32 - (64 << 20)) page = store.allocPage();
    } catch (error) {
      if (!(error instanceof ByteStoreFullError)) throw error;
      console.log(`      skipped: ${error.message}`);
      this.skip();
    }
    expect(page).to.be.above(2 ** 31);
    store.fillSeeded(5, 0, page, 4096);
    expect(store.equalSeeded(5, 0, page, 4096)).to.equal(true);
    store.copy(region, page, 4096);
    expect(store.equal(region, page, 4096)).to.equal(true);
    expect(store.crc32(0, page, 4096)).to.equal(store.crc32(0, region, 4096));
    expect(store.u8[page + 9]).to.equal(store.u8[region + 9]);
    expect(store.i32[(page >>> 2) + 3]).to.equal(store.i32[(region >>> 2) + 3]);
    store.freePage(page);
    expect(store.allocPage()).to.equal(page);
    expect(store.alloc(1 << 20)).to.be.below(2 ** 31);
    expect(() => {
      for (;;) store.allocPage();
    }).to.throw(ByteStoreFullError);
  });
});

interface Step {
  readonly op: number;
  readonly n: number;
  readonly a: number;
  readonly b: number;
  readonly key: number;
  readonly position: number;
}

function apply(store: ByteStore, off: number, { op, n, a, b, key: k, position: at }: Step): unknown {
  const low = off + a;
  const high = off + 30_000 + b;
  if (op === 0) return store.copy(high, low, n);
  if (op === 1) return store.zero(low, n);
  if (op === 2) return [store.equal(low, high, n), store.firstDifference(low, high, n)];
  if (op === 3) return store.crc32(k, low, n);
  if (op === 4) return store.fillSeeded(k, at, low, n);
  if (op === 5) return [store.equalSeeded(k, at, low, n), store.firstDifferenceSeeded(k, at, low, n)];
  if (op === 6) return store.hashInto(off + 60_000, low, n);
  if (op === 7) return store.hashMessage(off + 60_000, k, at, a, b, n, low, n);
  if (op === 8) return store.copyHashed(off + 60_000, k, at, a, b, n, high, low, n);
  if (op === 9) return store.fillHashed(off + 60_000, k, a, b, n, at, k, at, low, n);
  return store.hashWords(off + 60_000, k, at, a, b, n);
}

function flip(store: ByteStore, at: number): void {
  store.u8[at] = (store.u8[at] as number) ^ 0x55;
}

function hex(store: ByteStore, off: number, n: number): string {
  return Buffer.from(store.u8.subarray(off, off + n)).toString('hex');
}
