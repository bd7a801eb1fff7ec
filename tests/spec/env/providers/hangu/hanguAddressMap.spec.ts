import { expect } from 'chai';
import fc from 'fast-check';
import { HanguAddressMap, AREA, areaOf } from '../../../../../dut-model/hangu/driver/kind/addressMap.ts';
import { permute, unpermute } from '../../../../../env/memory/pagePermutation.ts';

const process = fc.integer({ min: 1, max: 2047 });
const word = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
/** Upper halves of virtual addresses: data, queue and completion-queue areas. */
const areaHi = fc.oneof(
  fc.integer({ min: 0x8000, max: 0xffff }),
  fc.integer({ min: 0x40, max: 0x7f }),
  fc.constantFrom(2, 3),
);

describe('permute', () => {
  it('is undone by unpermute for every width and key', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(), word, (bits, value, key) => {
        const v = value & ((1 << bits) - 1);
        expect(unpermute(permute(v, bits, key), bits, key)).to.equal(v);
      }),
    );
  });

  it('visits every number of a narrow range exactly once', () => {
    for (const bits of [1, 2, 8, 11]) {
      const seen = new Set<number>();
      for (let v = 0; v < 1 << bits; v++) seen.add(permute(v, bits, 0xdeadbeef | 0));
      expect(seen.size).to.equal(1 << bits);
      expect(Math.max(...seen)).to.equal((1 << bits) - 1);
    }
  });

  it('leaves few pages in their order', () => {
    let neighbours = 0;
    for (let v = 0; v < 2047; v++) if (permute(v + 1, 11, 99) === permute(v, 11, 99) + 1) neighbours++;
    expect(neighbours).to.be.below(100);
  });
});

describe('HanguAddressMap', () => {
  it('finds the virtual address behind every physical one', () => {
    fc.assert(
      fc.property(word, process, areaHi, word, (key, p, hi, lo) => {
        const map = new HanguAddressMap(key);
        map.translate(p, hi, lo);
        map.reverse(map.physHi, map.physLo);
        expect([map.process, map.virtHi, map.virtLo]).to.deep.equal([p, hi, lo]);
      }),
    );
  });

  it('keeps area, owner and offset within the page', () => {
    fc.assert(
      fc.property(word, process, areaHi, word, (key, p, hi, lo) => {
        const map = new HanguAddressMap(key);
        map.translate(p, hi, lo);
        expect(areaOf(map.physHi)).to.equal(areaOf(hi));
        expect(map.physHi).to.equal(hi | (p << 16));
        expect(map.physLo & 0xfff).to.equal(lo & 0xfff);
        const shift = areaOf(hi) === AREA.cq ? 20 : areaOf(hi) === AREA.queue ? 23 : 32;
        if (shift < 32) expect(map.physLo >>> shift).to.equal(lo >>> shift);
      }),
    );
  });

  it('maps the published examples to themselves plus the process in contiguous mode', () => {
    const map = new HanguAddressMap(1, 'contiguous');
    map.translate(1, 0x2, 0x0fe0_0000);
    expect([map.physHi, map.physLo]).to.deep.equal([0x0001_0002, 0x0fe0_0000]);
    map.translate(1, 0x801c, 0);
    expect([map.physHi, map.physLo]).to.deep.equal([0x0001_801c, 0]);
  });

  it('leaves kernel addresses alone', () => {
    const map = new HanguAddressMap(1);
    map.translate(0, 0, 0x1234_1000);
    expect([map.physHi, map.physLo]).to.deep.equal([0, 0x1234_1000]);
  });

  it('scatters two processes and two areas differently', () => {
    const map = new HanguAddressMap(7);
    const page = (p: number, hi: number): number => {
      map.translate(p, hi, 0);
      return map.physLo;
    };
    expect(new Set([page(1, 0x801c), page(2, 0x801c), page(1, 0x801d), page(1, 0x801e)]).size).to.equal(4);
  });
});
