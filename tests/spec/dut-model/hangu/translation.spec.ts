import { expect } from 'chai';
import fc from 'fast-check';
import type { DmaEngine } from '../../../../dut-model/roce/dmaEngine.ts';
import { MISS } from '../../../../dut-model/hangu/model/memory/entryTable.ts';
import { IcmCache } from '../../../../dut-model/hangu/model/memory/icmCache.ts';
import { IcmMap } from '../../../../dut-model/hangu/model/memory/icmMap.ts';
import { MPT_DW, mptMarker } from '../../../../dut-model/hangu/model/memory/region.ts';
import { Translation, XLATE } from '../../../../dut-model/hangu/model/memory/translation.ts';
import { MPT_KIND, MPT_PERMISSION } from '../../../../dut-model/hangu/layout/contexts.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { FakeDma } from '../../support/fakeDma.ts';

const bytes = ByteStore.create();
const PD = 5;
/** Flags of a region, besides its permissions. */
const REGION = MPT_KIND.region;
/** Keys whose MPT entries share a line of a direct-mapped cache of sixteen. */
const KEY = 3;
const RIVAL = 3 + 16;
const nobody = { resume: (): void => {} };

interface World {
  xlate: Translation;
  readonly icm: IcmMap;
  readonly mpt: IcmCache;
  readonly mtt: IcmCache;
  readonly mptDma: FakeDma;
  readonly mttDma: FakeDma;
}

function make(ways = 1): World {
  const icm = new IcmMap();
  icm.mpt.entries = 64;
  icm.mtt.entries = 128;
  icm.mpt.map(0, 0, 0);
  icm.mtt.map(0, 0, 0);
  const mptDma = new FakeDma(bytes, icm.mpt.entryBytes);
  const mttDma = new FakeDma(bytes, icm.mtt.entryBytes);
  const mpt = new IcmCache(icm.mpt, mptDma as unknown as DmaEngine, bytes, 16, ways);
  const mtt = new IcmCache(icm.mtt, mttDma as unknown as DmaEngine, bytes, 16, ways, 4);
  return {
    xlate: new Translation(bytes, icm, mpt, mtt, [mttDma as unknown as DmaEngine]),
    icm,
    mpt,
    mtt,
    mptDma,
    mttDma,
  };
}

/** Brings the entry of `key` into the cache: a region of one page at address 0. */
function fill(mpt: IcmCache, dma: FakeDma, key: number): void {
  mpt.lookup(key, nobody);
  dma.answer();
  const e = mpt.lookup(key, nobody) >> 2;
  bytes.i32.fill(0, e, e + MPT_DW.marker);
  bytes.i32[e + MPT_DW.flags] = REGION;
  bytes.i32[e + MPT_DW.key] = key;
  bytes.i32[e + MPT_DW.pd] = PD;
  bytes.i32[e + MPT_DW.lengthLo] = 4096;
  bytes.i32[e + MPT_DW.mttSeg] = key;
  bytes.i32[e + MPT_DW.marker] = mptMarker(key, 0);
}

function ask(xlate: Translation, asker = nobody): number {
  return xlate.translate(KEY, PD, 0, 0x123, 8, 0, false, asker);
}

/** Something that happens to a translation: an access, or software changing an entry. */
interface Step {
  readonly kind: 'access' | 'mpt' | 'mtt';
  readonly key: number;
  /** Start of the region that is made, or that the access takes it for: some bytes below address 0. */
  readonly below: number;
  /** Bytes from there to the access, bytes of a new region beyond a page, page of a translation entry. */
  readonly offset: number;
  readonly length: number;
  /** Bits that say what else is unlike the usual. */
  readonly odd: number;
}
const ODD = { pd: 1, permission: 2, relative: 4, zeroBased: 8, high: 16 } as const;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('access', 'access', 'access', 'access', 'access', 'access', 'mpt', 'mtt'),
  key: fc.constantFrom(1, 1, 1, 1, 5, 5, 9, 13, 17),
  below: fc.constantFrom(0x123, 0x123, 0x123, 0x1800),
  offset: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 13_000 })),
  length: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5000 })),
  odd: fc.oneof(fc.constant(0), fc.constant(0), fc.constantFrom(0, ...Object.values(ODD))),
});

/** Looks an entry up as commands do. @returns the line's byte-store offset */
function line(cache: IcmCache, dma: FakeDma, index: number): number {
  if (cache.lookup(index, nobody) === MISS) dma.answer();
  return cache.lookup(index, nobody);
}

function setRegion({ mpt, mptDma }: World, { key, below, offset, odd }: Step): void {
  const at = line(mpt, mptDma, key);
  const e = at >> 2;
  const permissions =
    (odd & ODD.permission ? 0 : MPT_PERMISSION.localWrite) | (odd & ODD.zeroBased ? MPT_PERMISSION.zeroBased : 0);
  bytes.i32.fill(0, e, e + MPT_DW.marker);
  bytes.i32[e + MPT_DW.flags] = REGION | permissions;
  bytes.i32[e + MPT_DW.key] = key;
  bytes.i32[e + MPT_DW.pd] = odd & ODD.pd ? PD + 1 : PD;
  bytes.i32[e + MPT_DW.startHi] = -1;
  bytes.i32[e + MPT_DW.startLo] = -below;
  bytes.i32[e + MPT_DW.lengthLo] = 0x1000 + offset;
  bytes.i32[e + MPT_DW.mttSeg] = 4 * key;
  bytes.i32[e + MPT_DW.marker] = mptMarker(key, 0);
  mpt.alter(at);
}

function setPage({ mtt, mttDma }: World, { key, below, offset }: Step): void {
  const at = line(mtt, mttDma, 4 * key + (below & 3));
  bytes.i32[(at >> 2) + (below & 3) * 2] = offset << 12;
  mtt.alter(at);
}

/** Makes an access, and again whenever what it waits for has come. @returns what is to be seen of it */
function access({ xlate, mptDma, mttDma }: World, { key, below, offset, length, odd }: Step): unknown {
  const counted = (odd & (ODD.relative | ODD.zeroBased)) !== 0;
  const lo = counted ? offset : offset - below;
  const hi = (lo < 0 ? -1 : 0) + (odd & ODD.high ? 1 : 0);
  const pd = odd & ODD.pd ? PD + 1 : PD;
  const need = odd & ODD.permission ? 0 : MPT_PERMISSION.localWrite;
  const again = (): number => xlate.translate(key, pd, hi, lo, length, need, (odd & ODD.relative) !== 0, nobody);
  let result = again();
  for (let i = 0; result === XLATE.wait && i < 4; i++) {
    mptDma.answer();
    mttDma.answer();
    result = again();
  }
  return [result, result === XLATE.ok && [xlate.paLo, xlate.available]];
}

/** Makes one step. @returns what is to be seen of it */
function take(world: World, s: Step): unknown {
  let seen: unknown;
  if (s.kind === 'mpt') setRegion(world, s);
  else if (s.kind === 'mtt') setPage(world, s);
  else seen = access(world, s);
  return [seen, world.mptDma.reads, world.mttDma.reads];
}

describe('Translation', () => {
  it('goes on from the page when that has come, even if the region has left the cache meanwhile', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    fill(mpt, mptDma, RIVAL);
    expect(mpt.holds(KEY)).to.equal(false);
    mttDma.answer();
    const reads = mptDma.reads;
    expect(ask(xlate)).to.equal(XLATE.ok);
    expect(mptDma.reads).to.equal(reads);
    expect(xlate.available).to.equal(4096 - 0x123);
  });

  it('checks the region anew for an access that the one that waited does not cover', () => {
    for (const [pd, length, need] of [
      [PD + 1, 8, 0],
      [PD, 4096, 0],
      [PD, 8, MPT_PERMISSION.remoteWrite],
    ] as const) {
      const { xlate, mpt, mptDma, mttDma } = make();
      fill(mpt, mptDma, KEY);
      expect(ask(xlate)).to.equal(XLATE.wait);
      mttDma.answer();
      const refused = [XLATE.pd, XLATE.bounds, XLATE.permission] as readonly number[];
      expect(refused).to.include(xlate.translate(KEY, pd, 0, 0x123, length, need, false, nobody));
    }
  });

  it('forgets the access of one who does not come back', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    xlate.drop(nobody);
    mttDma.answer();
    const at = mpt.lookup(KEY, nobody);
    bytes.i32[(at >> 2) + MPT_DW.marker] = 0;
    mpt.alter(at);
    expect(ask(xlate)).to.equal(XLATE.key);
  });

  it('checks the region of an access that waited when regions have changed meanwhile', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    const at = mpt.lookup(KEY, nobody);
    bytes.i32[(at >> 2) + MPT_DW.marker] = 0;
    mpt.alter(at);
    xlate.forget();
    mttDma.answer();
    expect(ask(xlate)).to.equal(XLATE.key);
  });

  it('is with what it noted exactly as without: in its answers and in what the caches read', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), fc.constantFrom(1, 2, 4), (steps, ways) => {
        const noting = make(ways);
        const plain = make(ways);
        for (const s of steps) {
          plain.xlate = new Translation(bytes, plain.icm, plain.mpt, plain.mtt, [plain.mttDma as unknown as DmaEngine]);
          expect(take(noting, s)).to.deep.equal(take(plain, s));
        }
      }),
    );
  });

  it('finds what lies in the page of the access before exactly as the caches have it, or not at all', () => {
    const length = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(step, fc.integer({ min: -300, max: 5000 }), length, (first, further, n) => {
        const usual = { ...first, odd: 0, length: 1 };
        const [near, plain] = [make(), make()];
        for (const world of [near, plain]) {
          setRegion(world, usual);
          for (let page = 0; page < 4; page++) setPage(world, { ...usual, below: page, offset: 7 * page + 1 });
          access(world, usual);
        }
        const lo = usual.offset - usual.below + further;
        const where = [usual.key, PD, lo < 0 ? -1 : 0, lo, n] as const;
        if (!near.xlate.next(usual.key, where[2], lo, n)) return;
        expect(plain.xlate.translate(...where, MPT_PERMISSION.localWrite, false, nobody)).to.equal(XLATE.ok);
        const { paHi, paLo, available } = plain.xlate;
        expect([near.xlate.paHi, near.xlate.paLo, near.xlate.available]).to.deep.equal([paHi, paLo, available]);
        expect([near.mpt.latest, near.mtt.latest]).to.deep.equal([plain.mpt.latest, plain.mtt.latest]);
      }),
    );
  });

  it('carries what it was told for the one who asked, not for others', () => {
    const { xlate, mpt, mptDma, mttDma } = make();
    fill(mpt, mptDma, KEY);
    expect(ask(xlate)).to.equal(XLATE.wait);
    mttDma.answer();
    fill(mpt, mptDma, RIVAL);
    expect(ask(xlate, { resume: (): void => {} })).to.equal(XLATE.wait);
  });
});
